import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages } from '../../api/queries.ts';
import { useNewInAddress } from '../../routing/new-in-address.ts';
import { flowTexts } from '../../texts/flows.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { SearchBox } from '../../ui/forms/search-box.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { DeleteMany } from '../../ui/selection/delete-many.tsx';
import { SelectionBar } from '../../ui/selection/selection-bar.tsx';
import { useSelection } from '../../ui/selection/use-selection.ts';
import { PagedTable } from '../../ui/tables/paged-table.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { Time } from '../../ui/values/time.tsx';

/** Every flow, newest first. */
export function FlowList() {
  const [search, setSearch] = useState('');
  const [isCreating, setCreating] = useNewInAddress();
  const sought = useSettled(search.trim());
  const flows = usePages('flows.list', { query: sought ? { search: sought } : {} });
  const selection = useSelection(flows.rows, ({ name }) => name);
  const navigate = useNavigate();
  const create = (
    <div className="actions">
      <Link to="/templates?kind=flow" className="button plain">
        {sharedTexts.createFromTemplate}
      </Link>
      <Button look="primary" onPress={() => setCreating(true)}>
        {sharedTexts.createFlow}
      </Button>
    </div>
  );
  return (
    <ScreenPage title={sharedTexts.flows} actions={create}>
      <SelectionBar selection={selection}>
        <DeleteMany
          selection={selection}
          counted={sharedTexts.flowCount}
          operation="flows.delete"
          question={flowTexts.versionsOfThemAreDeletedToo}
          changes={['flows']}
        />
      </SelectionBar>
      <PagedTable
        tools={<SearchBox label={sharedTexts.searchByName} value={search} onChange={setSearch} />}
        label={sharedTexts.flows}
        pages={flows}
        keyOf={({ id }) => id}
        copyId={flowTexts.copyFlowId}
        selection={selection}
        empty={
          sought ? (
            <Empty title={flowTexts.noMatchingFlows} />
          ) : (
            <Empty title={flowTexts.noFlowsYet}>
              <p>{flowTexts.aboutFlows}</p>
              {create}
            </Empty>
          )
        }
        columns={[
          {
            title: sharedTexts.name,
            cell: ({ id, name }) => (
              <Link to={`/flows/${id}`}>
                <bdi>{name}</bdi>
              </Link>
            ),
          },
          { title: sharedTexts.updated, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
          { title: sharedTexts.lastRun, cell: ({ lastRunAt }) => <Time at={lastRunAt} />, isExtra: true },
        ]}
      />
      <EditDialog
        title={sharedTexts.createFlow}
        operation="flows.create"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        hidden={['flowSteps', 'steps']}
        value={{ name: '' }}
        submit={sharedTexts.create}
        onSaved={({ id }) => navigate({ to: `/flows/${id}`, replace: true })}
      />
    </ScreenPage>
  );
}
