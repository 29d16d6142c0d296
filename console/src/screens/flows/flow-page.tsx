import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAction, useCall } from '../../api/queries.ts';
import { useParam } from '../../routing/screens.ts';
import { flowTexts } from '../../texts/flows.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { MoreMenu } from '../../ui/dialogs/confirm-button.tsx';
import { notify } from '../../ui/notices.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';

/** The flow that the address names. */
export function useFlow() {
  const id = useParam('flowId');
  return { id, flow: useCall('flows.get', { params: { id } }) };
}

/** The frame of every screen of a flow. */
export function FlowPage({ children, actions }: { children: ReactNode; actions?: ReactNode }) {
  const { id, flow } = useFlow();
  const navigate = useNavigate();
  const remove = useAction('flows.delete', {
    onSuccess() {
      notify(flowTexts.flowDeleted);
      // Edits of what is gone cannot be saved.
      return navigate({ to: '/flows', ignoreBlocker: true });
    },
  });
  return (
    <ScreenPage
      title={flow.data?.name ?? sharedTexts.flow}
      above={[{ to: '/flows', label: sharedTexts.flows }]}
      id={<ShownId id={id} label={flowTexts.copyFlowId} />}
      actions={
        <>
          {actions}
          <MoreMenu
            title={flowTexts.deleteThisFlow}
            question={flowTexts.versionsAreDeletedToo}
            action={() => remove.mutateAsync({ params: { id } })}
          >
            {sharedTexts.delete}
          </MoreMenu>
        </>
      }
    >
      <Tabs
        label={sharedTexts.flow}
        items={[
          { to: `/flows/${id}`, label: sharedTexts.steps },
          { to: `/flows/${id}/try`, label: sharedTexts.try },
          { to: `/runs?flowId=${id}`, label: sharedTexts.runs },
          { to: `/flows/${id}/versions`, label: sharedTexts.versions },
          { to: `/flows/${id}/run`, label: sharedTexts.runOnRecords },
          { to: `/flows/${id}/recompute`, label: flowTexts.recompute },
        ]}
      />
      {children}
    </ScreenPage>
  );
}
