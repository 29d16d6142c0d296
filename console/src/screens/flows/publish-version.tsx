import type { AnswerOf } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { notify } from '../../ui/notices.tsx';

type Version = AnswerOf<'GET /v1/flow-versions/{flowId}'>['versions'][number];

/** Puts a version to use: the draft, or an earlier one. */
export function PublishVersion({ flowId, version }: { flowId: string; version: Version }) {
  const { id: versionId, versionNumber, versionType } = version;
  const publish = useAction('POST /v1/flow-versions/{flowId}/publish', {
    changes: ['flows', 'flow-versions'],
    onSuccess: () => notify('New runs use this version'),
  });
  const verb = versionType === 'draft' ? 'Publish' : 'Go back';
  return (
    <ConfirmButton
      look="quiet"
      title={versionType === 'draft' ? 'Publish the draft?' : `Go back to version ${versionNumber}?`}
      question="New runs use this version. Those that have begun keep theirs."
      confirm={verb}
      action={() => publish.mutateAsync({ params: { flowId }, body: { versionId } })}
    >
      {verb}
    </ConfirmButton>
  );
}
