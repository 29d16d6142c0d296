import { useState } from 'react';
import { useApi } from '../../api/api.ts';
import { choiceText } from '../../run/answer-draft.tsx';
import { inboxTexts } from '../../texts/inbox.ts';
import { TextField } from '../../ui/forms/field.tsx';
import type { ActOnAll, Failed } from '../../ui/selection/act-on-all.ts';
import { BulkButton } from '../../ui/selection/bulk-button.tsx';
import type { RowSelection } from '../../ui/selection/use-selection.ts';
import type { InboxEntry } from './use-inbox.ts';

/** As many as the API takes at once. */
const atOnce = 100;

interface Props {
  selection: RowSelection<InboxEntry>;
  /** Called when all of them are answered. */
  onDone: () => void;
}

/** A button for each choice that all of the selected questions have. */
export function AnswerSelected({ selection, onDone: onAllDone }: Props) {
  const api = useApi();
  const [comment, setComment] = useState('');
  const common = commonChoices(selection.rows);
  const isEmpty = selection.rows.length === 0;
  const [shown, setShown] = useState(common);
  // Answered questions leave the list and the selection: the buttons stay, whose dialogs say which ones failed.
  const choices = isEmpty ? shown : common;
  if (choices.join('\n') !== shown.join('\n')) setShown(choices);
  const giveAll =
    (choice: string): ActOnAll<InboxEntry> =>
    async (rows, { signal, onDone }) => {
      const failed: Failed<InboxEntry>[] = [];
      for (let from = 0; from < rows.length && !signal.aborted; from += atOnce) {
        const part = rows.slice(from, from + atOnce);
        failed.push(...(await give(part, choice)));
        onDone(Math.min(rows.length, from + atOnce) - failed.length);
      }
      if (failed.length === 0 && !signal.aborted) {
        setComment('');
        onAllDone();
      }
      return failed;
    };
  async function give(rows: readonly InboxEntry[], choice: string): Promise<Failed<InboxEntry>[]> {
    const ids = rows.map(({ id }) => id);
    const body = { ids, choice, ...(comment.trim() !== '' && { comment }) };
    try {
      const { results } = await api.waits.answerMany({ body });
      return rows.flatMap((row) => {
        const error = results.find(({ id }) => id === row.id)?.error;
        return error ? [{ row, error: new Error(error.message) }] : [];
      });
    } catch (error) {
      return rows.map((row) => ({ row, error: error as Error }));
    }
  }
  const buttons = choices.map((choice, place) => (
    <BulkButton
      key={choice}
      selection={selection}
      {...(place < 9 && { shortcut: String(place + 1) })}
      titleOf={(rows) => inboxTexts.bulkTitle(choiceText(choice), rows)}
      question={
        <>
          <p>{inboxTexts.bulkQuestion}</p>
          <TextField label={inboxTexts.bulkComment} lines={2} value={comment} onChange={setComment} />
        </>
      }
      progressOf={inboxTexts.bulkProgress}
      act={giveAll(choice)}
      changes={['waits', 'runs', 'batch', 'agents']}
      successOf={inboxTexts.bulkDone}
    >
      {choiceText(choice)}
    </BulkButton>
  ));
  return (
    <>
      {!isEmpty && common.length === 0 && <span className="help">{inboxTexts.noCommonChoice}</span>}
      {buttons}
    </>
  );
}

/** In the order of the first. Questions with a form are answered one by one. */
function commonChoices(waits: readonly Pick<InboxEntry, 'choices' | 'form'>[]): readonly string[] {
  const [first, ...others] = waits;
  const choicesOf = ({ choices, form }: Pick<InboxEntry, 'choices' | 'form'>) =>
    form ? [] : (choices ?? []);
  return first
    ? choicesOf(first).filter((choice) => others.every((wait) => choicesOf(wait).includes(choice)))
    : [];
}
