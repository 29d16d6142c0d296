import { useState } from 'react';
import type { OperationResponse } from '../../../api/api.ts';
import { useAction, usePages } from '../../../api/queries.ts';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { ConfirmButton } from '../../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { Time } from '../../../ui/values/time.tsx';
import { Value } from '../../../ui/values/value.tsx';
import type { RunDetails } from '../data/run-details.ts';
import { FeedbackDialog } from './feedback-dialog.tsx';

type Feedback = OperationResponse<'run-feedback.list-of-run'>['data'][number];

/** What people and visitors think of the run, and two buttons to add to it. */
export function RunFeedbackPanel({ run }: { run: RunDetails }) {
  const [rating, setRating] = useState<1 | -1>();
  const pages = usePages('run-feedback.list-of-run', { params: { id: run.id } });
  const { rows, error, hasNextPage, fetchNextPage, isFetchingNextPage } = pages;
  return (
    <section aria-labelledby="feedback">
      <h2 id="feedback">{runTexts.feedback}</h2>
      <div className="row feedback-ask">
        <span className="help">{runTexts.isResultExpected}</span>
        <Button onPress={() => setRating(1)}>
          <Thumb rating={1} /> {runTexts.good}
        </Button>
        <Button onPress={() => setRating(-1)}>
          <Thumb rating={-1} /> {runTexts.bad}
        </Button>
      </div>
      {rating && <FeedbackDialog run={run} rating={rating} onClose={() => setRating(undefined)} />}
      {error && <FailureNotice error={error} onRetry={() => pages.refetch()} />}
      {rows && rows.length > 0 && (
        <ul className="feedback">
          {rows.map((each) => (
            <Item key={each.id} feedback={each} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button onPress={() => fetchNextPage()} isPending={isFetchingNextPage}>
          {sharedTexts.showMore}
        </Button>
      )}
    </section>
  );
}

function Item({ feedback }: { feedback: Feedback }) {
  const { id, rating, score, label, comment, expected, source, userId, createdAt } = feedback;
  const remove = useAction('run-feedback.delete', { changes: ['runs', 'feedback'] });
  return (
    <li>
      <div className="row">
        <strong className="feedback-rating">
          {rating !== null && <Thumb rating={rating} />}
          {ratingText(rating, score)}
        </strong>
        {label && <span className="tag">{label}</span>}
        <span className="help">
          <bdi>{userId ?? (source === 'client' ? runTexts.aVisitor : source)}</bdi>, <Time at={createdAt} />
        </span>
        <ConfirmButton
          look="quiet"
          title={runTexts.deleteThisFeedback}
          question={runTexts.cannotBeRestored}
          action={() => remove.mutateAsync({ params: { id } })}
        >
          {sharedTexts.delete}
        </ConfirmButton>
      </div>
      {comment && (
        <p dir="auto" className="feedback-comment">
          {comment}
        </p>
      )}
      {expected !== undefined && (
        <>
          <p className="label">{runTexts.expected}</p>
          <Value of={expected} label={runTexts.expected} />
        </>
      )}
    </li>
  );
}

function ratingText(rating: number | null, score: number | null): string {
  if (rating !== null) return rating > 0 ? runTexts.good : rating < 0 ? runTexts.bad : runTexts.neutral;
  return score === null ? runTexts.expectedValue : runTexts.score(score);
}

/** A thumb up or down; the word beside it says the same. */
const Thumb = ({ rating }: { rating: number }) => <Icon name={rating < 0 ? 'thumbDown' : 'thumbUp'} />;
