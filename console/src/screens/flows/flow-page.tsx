import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAction, useCall } from '../../api/queries.ts';
import { useParam } from '../../routing/screens.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { notify } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';

/** The flow that the address names. */
export function useFlow() {
  const id = useParam('flowId');
  return { id, flow: useCall('GET /v1/flows/{id}', { params: { id } }) };
}

/** The frame of every screen of a flow. */
export function FlowPage({ children, actions }: { children: ReactNode; actions?: ReactNode }) {
  const { id, flow } = useFlow();
  const navigate = useNavigate();
  const remove = useAction('DELETE /v1/flows/{id}', {
    onSuccess() {
      notify('Flow deleted');
      // Edits of what is gone cannot be saved.
      return navigate({ to: '/flows', ignoreBlocker: true });
    },
  });
  return (
    <Page
      title={flow.data?.name ?? 'Flow'}
      above={[{ to: '/flows', label: 'Flows' }]}
      id={<ShownId id={id} label="Copy flow ID" />}
      actions={
        <>
          {actions}
          <ConfirmButton
            look="quiet"
            title="Delete this flow?"
            question="Its versions and results go too, and products that offer it stop doing so. This cannot be undone."
            action={() => remove.mutateAsync({ params: { id } })}
          >
            Delete
          </ConfirmButton>
        </>
      }
    >
      <Tabs
        label="Flow"
        items={[
          { to: `/flows/${id}`, label: 'Steps' },
          { to: `/flows/${id}/try`, label: 'Try' },
          { to: `/flows/${id}/versions`, label: 'Versions' },
          { to: `/flows/${id}/run`, label: 'Run on records' },
        ]}
      />
      {children}
    </Page>
  );
}
