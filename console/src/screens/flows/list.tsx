import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages } from '../../api/queries.ts';
import { useNewInAddress } from '../../routing/new-in-address.ts';
import { Button } from '../../ui/forms/button.tsx';
import { SearchBox } from '../../ui/forms/search-box.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { Page } from '../../ui/page.tsx';
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
  const flows = usePages('GET /v1/flows', { query: sought ? { search: sought } : {} });
  const selection = useSelection(flows.rows, ({ name }) => name);
  const navigate = useNavigate();
  const create = (
    <div className="actions">
      <Link to="/templates?kind=flow" className="button plain">
        Create from template
      </Link>
      <Button look="primary" onPress={() => setCreating(true)}>
        Create flow
      </Button>
    </div>
  );
  return (
    <Page title="Flows" actions={create}>
      <SelectionBar selection={selection}>
        <DeleteMany
          selection={selection}
          noun="flow"
          route="DELETE /v1/flows/{id}"
          question="Their versions and results go too, and products that offer them stop doing so."
          changes={['flows']}
        />
      </SelectionBar>
      <PagedTable
        tools={<SearchBox label="Search by name" value={search} onChange={setSearch} />}
        label="Flows"
        pages={flows}
        keyOf={({ id }) => id}
        copyId="Copy flow ID"
        selection={selection}
        empty={
          sought ? (
            <Empty title="No matching flows" />
          ) : (
            <Empty title="No flows yet">
              <p>A flow is a list of steps that runs on a record: prompts, scripts, requests, conditions.</p>
              {create}
            </Empty>
          )
        }
        columns={[
          {
            title: 'Name',
            cell: ({ id, name }) => (
              <Link to={`/flows/${id}`}>
                <bdi>{name}</bdi>
              </Link>
            ),
          },
          { title: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
          { title: 'Last run', cell: ({ lastRunAt }) => <Time at={lastRunAt} />, isExtra: true },
        ]}
      />
      <EditDialog
        title="Create flow"
        route="POST /v1/flows"
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        hidden={['flowSteps', 'steps']}
        value={{ name: '' }}
        submit="Create"
        onSaved={({ id }) => navigate({ to: `/flows/${id}`, replace: true })}
      />
    </Page>
  );
}
