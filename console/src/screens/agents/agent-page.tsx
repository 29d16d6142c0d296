import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAction, useCall } from '../../api/queries.ts';
import { useParam } from '../../routing/screens.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { notify } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';
import '../../style/agents.css';

/** The agent that the address names. */
export function useAgent() {
  const id = useParam('agentId');
  return { id, agent: useCall('GET /v1/agents/{id}', { params: { id } }) };
}

/** The frame of every screen of an agent. */
export function AgentPage({ children }: { children: ReactNode }) {
  const { id, agent } = useAgent();
  const navigate = useNavigate();
  const remove = useAction('DELETE /v1/agents/{id}', {
    onSuccess() {
      notify('Agent deleted');
      // Edits of what is gone cannot be saved.
      return navigate({ to: '/agents', ignoreBlocker: true });
    },
  });
  return (
    <Page
      title={agent.data?.name ?? 'Agent'}
      above={[{ to: '/agents', label: 'Agents' }]}
      id={<ShownId id={id} label="Copy agent ID" />}
      actions={
        <ConfirmButton
          look="quiet"
          title="Delete this agent?"
          question="Its versions go too, and products that offer it stop doing so. This cannot be undone."
          action={() => remove.mutateAsync({ params: { id } })}
        >
          Delete
        </ConfirmButton>
      }
    >
      <Tabs
        label="Agent"
        items={[
          { to: `/agents/${id}`, label: 'Edit' },
          { to: `/agents/${id}/chat`, label: 'Playground' },
          { to: `/agents/${id}/runs`, label: 'Runs' },
          { to: `/agents/${id}/versions`, label: 'Versions' },
        ]}
      />
      {children}
    </Page>
  );
}
