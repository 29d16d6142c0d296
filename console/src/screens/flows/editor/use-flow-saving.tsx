import { useMutation } from '@tanstack/react-query';
import type { OperationResponse } from '../../../api/api.ts';
import { useAction } from '../../../api/queries.ts';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { notify } from '../../../ui/notices.tsx';
import { useCarefulSave } from '../../../ui/resource/careful-save.tsx';
import type { BegunEdit } from '../../../ui/resource/edit-fresh.tsx';
import type { Step } from '../steps/steps.ts';

export type Flow = OperationResponse<'flows.get'>;

/** Saves the steps as the draft, and publishes it. @param onSaved Called with what is stored now. */
export function useFlowSaving(begun: BegunEdit<Flow>, steps: readonly Step[], onSaved: () => void) {
  const params = { id: begun.stored.id };
  const put = useAction('flows.update', { changes: ['flows', 'flow-versions'] });
  const publish = useAction('flows.publish', { changes: ['flows', 'flow-versions'] });
  const { save, unchanged, isPending, problem } = useCarefulSave({
    ...begun,
    contentOf: ({ flowSteps }) => flowSteps,
    async write() {
      const stored = await put.mutateAsync({ params, body: { flowSteps: steps as never } });
      onSaved();
      notify(sharedTexts.draftSaved);
      return stored;
    },
  });
  const putToUse = useMutation({
    async mutationFn(isChanged: boolean) {
      await (isChanged ? save() : unchanged());
      await publish.mutateAsync({ params });
      notify(editorTexts.published);
    },
  });
  return {
    isPending: isPending || putToUse.isPending,
    // `problem` says why it failed.
    save: () => save().catch(() => {}),
    publish: putToUse.mutate,
    problem: (
      <>
        {problem}
        {publish.error && <FailureNotice error={publish.error} />}
      </>
    ),
  };
}
