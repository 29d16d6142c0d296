import { type FormEvent, useState } from 'react';
import { useAction } from '../../../api/queries.ts';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { Choice } from '../../../ui/forms/choice.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { fieldProblems } from '../../../ui/loading/failure-text.ts';
import { notify } from '../../../ui/notices.tsx';
import type { RunDetails } from '../data/run-details.ts';

interface Props {
  run: RunDetails;
  rating: 1 | -1;
  onClose: () => void;
}

type Rating = '1' | '-1';
const ratings = [
  { value: '1', label: runTexts.good },
  { value: '-1', label: runTexts.bad },
] as const;

/** A rating, why, and what the run should have said. */
export function FeedbackDialog({ run, rating: first, onClose }: Props) {
  const [rating, setRating] = useState<Rating>(`${first}`);
  const [comment, setComment] = useState('');
  const [expected, setExpected] = useState('');
  const send = useAction('run-feedback.create', {
    changes: ['runs', 'feedback'],
    onSuccess: () => {
      notify(runTexts.feedbackSent);
      onClose();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    const body = {
      rating: Number(rating) as 1 | -1,
      ...(comment.trim() && { comment: comment.trim() }),
      ...(expected.trim() && { expected: expectedOf(expected, run.output) }),
    };
    send.mutate({ params: { id: run.id }, body });
  }
  return (
    <Dialog title={runTexts.giveFeedback} isOpen onClose={() => send.isPending || onClose()}>
      <form onSubmit={submit}>
        <Choice label={runTexts.rating} value={rating} options={ratings} onChange={setRating} />
        <TextField
          label={runTexts.comment}
          lines={3}
          value={comment}
          onChange={setComment}
          autoFocus
          maxLength={4_000}
        />
        <TextField
          label={runTexts.expectedOutput}
          help={typeof run.output === 'string' ? runTexts.expectedText : runTexts.expectedTextOrJson}
          lines={3}
          value={expected}
          onChange={setExpected}
          problem={fieldProblems(send.error).expected}
        />
        {send.error && <FailureNotice error={send.error} />}
        <div className="actions">
          <Button onPress={onClose} isPending={send.isPending}>
            {sharedTexts.cancel}
          </Button>
          <Button type="submit" look="primary" isPending={send.isPending}>
            {runTexts.sendFeedback}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** JSON stays JSON, unless the run returns texts: then `42` is one too. */
function expectedOf(text: string, output: unknown): unknown {
  if (typeof output === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
