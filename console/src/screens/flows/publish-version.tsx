import type { OperationResponse } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { flowTexts } from '../../texts/flows.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { notify } from '../../ui/notices.tsx';

/** Puts a version to use: the draft, or an earlier one. */
export function PublishVersion({ flowId, version }: { flowId: string; version: Version }) {
  const { id: versionId, versionNumber, versionType } = version;
  const publish = useAction('flow-versions.publish', {
    changes: ['flows', 'flow-versions'],
    onSuccess: () => notify(flowTexts.newRunsUseThisVersion),
  });
  const verb = versionType === 'draft' ? sharedTexts.publish : sharedTexts.goBack;
  return (
    <ConfirmButton
      look="quiet"
      title={
        versionType === 'draft' ? sharedTexts.publishTheDraft : sharedTexts.goBackToVersion(versionNumber)
      }
      question={flowTexts.publishQuestion}
      confirm={verb}
      action={() => publish.mutateAsync({ params: { flowId }, body: { versionId } })}
    >
      {verb}
    </ConfirmButton>
  );
}
