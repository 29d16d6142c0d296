import { useMemo, useState } from 'react';
import type { OperationResponse } from '../../../api/api.ts';
import { useAction } from '../../../api/queries.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { fieldProblems } from '../../../ui/loading/failure-text.ts';
import { notify } from '../../../ui/notices.tsx';
import { useCarefulSave } from '../../../ui/resource/careful-save.tsx';
import type { BegunEdit } from '../../../ui/resource/edit-fresh.tsx';
import type { JsonObject } from '../../../ui/values/schema.ts';
import { agentPatch } from './agent-patch.ts';

export type Agent = OperationResponse<'agents.get'>;
type Editable = Omit<Agent, 'capabilities' | 'primaryFlow'>;

/** The member that holds the config of each type of agent. */
export const configs = {
  native: 'config',
  external: 'externalConfig',
  vendor_managed: 'vendorManagedConfig',
} as const;

export type AgentDraft = ReturnType<typeof useAgentDraft>;

/** Edits of the draft of an agent. Only what was changed is sent. */
export function useAgentDraft(begun: BegunEdit<Agent>) {
  const { stored: agent } = begun;
  const [saved, setSaved] = useState(() => editedOf(agent));
  const [edited, setEdited] = useState(saved);
  const put = useAction('agents.update', { changes: ['agents', 'agent-versions'] });
  const { save, isPending, problem, error, ...answer } = useCarefulSave({
    ...begun,
    contentOf: editedOf,
    async write(now) {
      const body = agentPatch(editedOf(now), edited);
      const written = await put.mutateAsync({ params: { id: agent.id }, body });
      setSaved(edited);
      notify(sharedTexts.draftSaved);
      return written;
    },
  });
  const problems = useMemo(() => fieldProblems(error), [error]);
  const isChanged = useMemo(() => JSON.stringify(saved) !== JSON.stringify(edited), [saved, edited]);
  return {
    agent,
    /** Of the config. */
    member: configs[agent.agentType],
    edited,
    setEdited,
    discard: () => setEdited(saved),
    isChanged,
    /** @throws if it is not saved; `problem` says why. */
    save,
    isPending,
    problem,
    problems,
    warnings: answer.saved?._warnings ?? [],
  };
}

/** The members that the form edits, without those that are not set. */
function editedOf(agent: Editable): JsonObject {
  const { name, description, icon, primaryFlowId, agentType } = agent;
  const config = agent[configs[agentType]] ?? {};
  const members = { name, description, icon, primaryFlowId, [configs[agentType]]: config };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
