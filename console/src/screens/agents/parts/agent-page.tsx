import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAction, useCall } from '../../../api/queries.ts';
import { useParam } from '../../../routing/screens.ts';
import { agentTexts } from '../../../texts/agents.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { MoreMenu } from '../../../ui/dialogs/confirm-button.tsx';
import { notify } from '../../../ui/notices.tsx';
import { ScreenPage } from '../../../ui/page.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { ShownId } from '../../../ui/values/copy-id.tsx';
import '../../../style/agents.css';

/** The agent that the address names. */
export function useAgent() {
  const id = useParam('agentId');
  return { id, agent: useCall('agents.get', { params: { id } }) };
}

/** The frame of every screen of an agent. */
export function AgentPage({ children }: { children: ReactNode }) {
  const { id, agent } = useAgent();
  const navigate = useNavigate();
  const remove = useAction('agents.delete', {
    onSuccess() {
      notify(agentTexts.agentDeleted);
      // Edits of what is gone cannot be saved.
      return navigate({ to: '/agents', ignoreBlocker: true });
    },
  });
  return (
    <ScreenPage
      title={agent.data?.name ?? sharedTexts.agent}
      above={[{ to: '/agents', label: sharedTexts.agents }]}
      id={<ShownId id={id} label={agentTexts.copyAgentId} />}
      actions={
        <MoreMenu
          title={agentTexts.deleteThisAgent}
          question={agentTexts.versionsAreDeletedToo}
          action={() => remove.mutateAsync({ params: { id } })}
        >
          {sharedTexts.delete}
        </MoreMenu>
      }
    >
      <Tabs
        label={sharedTexts.agent}
        items={[
          { to: `/agents/${id}`, label: sharedTexts.edit },
          { to: `/agents/${id}/chat`, label: agentTexts.playground },
          { to: `/agents/${id}/runs`, label: sharedTexts.runs },
          { to: `/agents/${id}/versions`, label: sharedTexts.versions },
        ]}
      />
      {children}
    </ScreenPage>
  );
}
