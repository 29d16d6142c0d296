import { useAction } from '../../api/queries.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { notify } from '../../ui/notices.tsx';
import type { DeleteOperation } from '../../ui/selection/delete-many.tsx';

/** How the rows of a list are deleted, one or many. */
export interface Removal {
  operation: DeleteOperation;
  /** A number of rows in words: `2 API keys`. */
  counted: (rows: number) => string;
  /** What fails from then on. */
  question: string;
  /** The start of the paths whose cached answers it changes. */
  changes: readonly string[];
}

interface Props {
  id: string;
  name: string;
  removal: Removal;
}

/** The button of a row that deletes it. */
export function DeleteOne({ id, name, removal: { operation, counted, question, changes } }: Props) {
  const remove = useAction(operation, { changes, onSuccess: () => notify(uiTexts.deleted(counted(1))) });
  return (
    <ConfirmButton
      look="quiet"
      title={sharedTexts.deleteQuestion(name)}
      question={uiTexts.cannotBeUndone(question)}
      confirm={sharedTexts.delete}
      action={() => remove.mutateAsync({ params: { id } })}
    >
      {sharedTexts.delete}
    </ConfirmButton>
  );
}
