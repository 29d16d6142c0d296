import { useAction } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { notify } from '../../ui/notices.tsx';
import type { DeleteRoute } from '../../ui/selection/delete-many.tsx';
import { counted } from '../../ui/values/format.ts';

/** How the rows of a list are deleted, one or many. */
export interface Removal {
  route: DeleteRoute;
  /** What a row is: `API key`. */
  noun: string;
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
export function DeleteOne({ id, name, removal: { route, noun, question, changes } }: Props) {
  const remove = useAction(route, { changes, onSuccess: () => notify(`${counted(1, noun)} deleted`) });
  return (
    <ConfirmButton
      look="quiet"
      title={`Delete ${name}?`}
      question={`${question} This cannot be undone.`}
      confirm="Delete"
      action={() => remove.mutateAsync({ params: { id } })}
    >
      Delete
    </ConfirmButton>
  );
}
