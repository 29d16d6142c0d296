import { useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { AddCapability } from './add-capability.tsx';
import { ToolBadges } from './tool-badges.tsx';
import { approvalIn, effectOfType, needsApproval } from './tool-effects.ts';

type Agent = AnswerOf<'GET /v1/agents/{id}'>;
type Capability = Agent['capabilities'][number];

/** Flows, agents and tools that the agent calls under names of their own. Each change is saved at once. */
export function Capabilities({ agent }: { agent: Agent }) {
  const [isAdding, setAdding] = useState(false);
  const approval = approvalIn(agent.config);
  const remove = useAction('DELETE /v1/agents/{id}/capabilities/{capabilityId}', {
    onSuccess: () => notify('Capability removed'),
  });
  return (
    <section className="card" aria-labelledby="capabilities">
      <div className="page-head">
        <h2 id="capabilities">Capabilities</h2>
        <Button onPress={() => setAdding(true)}>Add capability</Button>
      </div>
      {agent.capabilities.length === 0 ? (
        <Empty title="No capabilities">
          <p>With a capability, the agent can run a flow or ask another agent.</p>
        </Empty>
      ) : (
        <Table
          label="Capabilities"
          rows={agent.capabilities}
          keyOf={({ id }) => id}
          copyId="Copy capability ID"
          columns={[
            { title: 'Name', cell: ({ toolName }) => <bdi>{toolName}</bdi> },
            { title: 'What it calls', cell: targetOf },
            {
              title: 'What it may do',
              cell: ({ flowId, subAgentId, toolId, toolName }) => (
                <ToolBadges
                  effect={effectOfType(flowId ? 'flow' : subAgentId ? 'subagent' : '')}
                  needsApproval={needsApproval(approval, { id: toolId ?? '', name: toolName })}
                />
              ),
              width: 'wide',
              isExtra: true,
            },
            { title: 'For', cell: ({ toolDescription }) => <bdi>{toolDescription}</bdi>, isExtra: true },
            {
              title: 'Actions',
              width: 'wide',
              cell: ({ id: capabilityId, toolName }) => (
                <ConfirmButton
                  look="quiet"
                  title={`Remove ${toolName}?`}
                  question="The agent can no longer call it. What it calls stays."
                  confirm="Remove"
                  action={() => remove.mutateAsync({ params: { id: agent.id, capabilityId } })}
                >
                  Remove
                </ConfirmButton>
              ),
            },
          ]}
        />
      )}
      {isAdding && <AddCapability agentId={agent.id} onClose={() => setAdding(false)} />}
    </section>
  );
}

const targetOf = ({ flowId, subAgentId, toolId }: Capability) =>
  flowId ? (
    <a href={`#/flows/${flowId}`}>a flow</a>
  ) : subAgentId ? (
    <a href={`#/agents/${subAgentId}`}>an agent</a>
  ) : (
    <code>{toolId}</code>
  );
