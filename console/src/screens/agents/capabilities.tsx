import { useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { agentTexts } from '../../texts/agents.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { AddCapability } from './add-capability.tsx';
import { ToolBadges } from './tools/tool-badges.tsx';
import { approvalIn, effectOfType, needsApproval } from './tools/tool-effects.ts';

type Agent = OperationResponse<'agents.get'>;
type Capability = Agent['capabilities'][number];

/** Flows, agents and tools that the agent calls under names of their own. Each change is saved at once. */
export function AgentCapabilities({ agent }: { agent: Agent }) {
  const [isAdding, setAdding] = useState(false);
  const approval = approvalIn(agent.config);
  const remove = useAction('agents.remove-capability', {
    onSuccess: () => notify(agentTexts.capabilityRemoved),
  });
  return (
    <section className="card" aria-labelledby="capabilities">
      <div className="page-head">
        <h2 id="capabilities">{sharedTexts.capabilities}</h2>
        <Button onPress={() => setAdding(true)}>{sharedTexts.addCapability}</Button>
      </div>
      {agent.capabilities.length === 0 ? (
        <Empty title={sharedTexts.noCapabilities}>
          <p>{agentTexts.aboutCapabilities}</p>
        </Empty>
      ) : (
        <Table
          label={sharedTexts.capabilities}
          rows={agent.capabilities}
          keyOf={({ id }) => id}
          copyId={sharedTexts.copyCapabilityId}
          columns={[
            { title: sharedTexts.name, cell: ({ toolName }) => <bdi>{toolName}</bdi> },
            { title: agentTexts.whatItCalls, cell: targetOf },
            {
              title: agentTexts.whatItMayDo,
              cell: ({ flowId, subAgentId, toolId, toolName }) => (
                <ToolBadges
                  effect={effectOfType(flowId ? 'flow' : subAgentId ? 'subagent' : '')}
                  needsApproval={needsApproval(approval, { id: toolId ?? '', name: toolName })}
                />
              ),
              width: 'wide',
              isExtra: true,
            },
            {
              title: sharedTexts.description,
              cell: ({ toolDescription }) => <bdi>{toolDescription}</bdi>,
              isExtra: true,
            },
            {
              title: sharedTexts.actions,
              width: 'wide',
              cell: ({ id: capabilityId, toolName }) => (
                <ConfirmButton
                  look="quiet"
                  title={sharedTexts.removeQuestion(toolName)}
                  question={agentTexts.agentCannotCallIt}
                  confirm={sharedTexts.remove}
                  action={() => remove.mutateAsync({ params: { id: agent.id, capabilityId } })}
                >
                  {sharedTexts.remove}
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
    <a href={`#/flows/${flowId}`}>{sharedTexts.flow}</a>
  ) : subAgentId ? (
    <a href={`#/agents/${subAgentId}`}>{sharedTexts.agent}</a>
  ) : (
    <code>{toolId}</code>
  );
