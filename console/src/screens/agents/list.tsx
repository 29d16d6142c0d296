import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages } from '../../api/queries.ts';
import { useNewInAddress } from '../../routing/new-in-address.ts';
import { Button } from '../../ui/forms/button.tsx';
import { SearchBox } from '../../ui/forms/search-box.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { DeleteMany } from '../../ui/selection/delete-many.tsx';
import { SelectionBar } from '../../ui/selection/selection-bar.tsx';
import { useSelection } from '../../ui/selection/use-selection.ts';
import { PagedTable } from '../../ui/tables/paged-table.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { Time } from '../../ui/values/time.tsx';
import { CreateAgent } from './create-agent.tsx';

/** Every agent, newest first. */
export function AgentList() {
  const [search, setSearch] = useState('');
  const [isCreating, setCreating] = useNewInAddress();
  const sought = useSettled(search.trim());
  const agents = usePages('GET /v1/agents', { query: sought ? { search: sought } : {} });
  const selection = useSelection(agents.rows, ({ name }) => name);
  const navigate = useNavigate();
  const create = (
    <div className="actions">
      <Link to="/templates?kind=agent" className="button plain">
        Create from template
      </Link>
      <Button look="primary" onPress={() => setCreating(true)}>
        Create agent
      </Button>
    </div>
  );
  return (
    <Page title="Agents" actions={create}>
      <SelectionBar selection={selection}>
        <DeleteMany
          selection={selection}
          noun="agent"
          route="DELETE /v1/agents/{id}"
          question="Their versions go too, products that offer them stop doing so, and agents that call them fail at that call."
          changes={['agents']}
        />
      </SelectionBar>
      <PagedTable
        tools={<SearchBox label="Search by name" value={search} onChange={setSearch} />}
        label="Agents"
        pages={agents}
        keyOf={({ id }) => id}
        copyId="Copy agent ID"
        selection={selection}
        empty={
          sought ? (
            <Empty title="No matching agents" />
          ) : (
            <Empty title="No agents yet">
              <p>
                An agent is a model with instructions and tools. It decides by itself which tools to call.
              </p>
              {create}
            </Empty>
          )
        }
        columns={[
          {
            title: 'Name',
            cell: ({ id, name }) => (
              <Link to={`/agents/${id}`}>
                <bdi>{name}</bdi>
              </Link>
            ),
          },
          {
            title: 'Model',
            cell: ({ config }) => <bdi>{typeof config?.model === 'string' ? config.model : 'default'}</bdi>,
            isExtra: true,
          },
          {
            title: 'Capabilities',
            cell: ({ capabilityCount }) => capabilityCount,
            isNumber: true,
            isExtra: true,
          },
          { title: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} />, isExtra: true },
          { title: 'Last run', cell: ({ lastRunAt }) => <Time at={lastRunAt} /> },
        ]}
      />
      {isCreating && (
        <CreateAgent
          onClose={() => setCreating(false)}
          onCreated={(id) => navigate({ to: `/agents/${id}`, replace: true })}
        />
      )}
    </Page>
  );
}
