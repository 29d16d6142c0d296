import { type RefObject, useMemo, useRef } from 'react';
import type { OperationResponse } from '../api/api.ts';
import { useAction } from '../api/queries.ts';
import { recordPath } from '../routing/record-paths.ts';
import { runViewTexts } from '../texts/run-view.ts';
import { runTexts } from '../texts/runs.ts';
import { CopyButton } from '../ui/forms/copy-button.tsx';
import { Link } from '../ui/link.tsx';
import { FailureNotice } from '../ui/loading/failure.tsx';
import { fieldProblems } from '../ui/loading/failure-text.ts';
import { notify } from '../ui/notices.tsx';
import { Time } from '../ui/values/time.tsx';
import { AnswerFields, ChoiceButtons, useAnswerDraft } from './answer-draft.tsx';
import '../style/run.css';

type FlowWait = OperationResponse<'runs.get'>['waits'][number];

/** What a run of a flow waits for: questions to answer here, and requests to addresses. */
export function FlowWaits({ waits }: { waits: readonly FlowWait[] }) {
  const box = useRef<HTMLDivElement>(null);
  return (
    <div ref={box} tabIndex={-1} className="stack run-waits">
      {waits.map((wait) =>
        wait.kind === 'approval' ? (
          <FlowQuestion key={`${wait.runId} ${wait.stepPath}`} wait={wait} box={box} />
        ) : (
          <Callback key={`${wait.runId} ${wait.stepPath}`} wait={wait} />
        ),
      )}
    </div>
  );
}

interface QuestionProps {
  wait: FlowWait;
  /** Gets the focus when the question goes away with its buttons. */
  box: RefObject<HTMLElement | null>;
}

/** An approval that a run of a flow waits for, with what answers it. */
function FlowQuestion({ wait, box }: QuestionProps) {
  const { runId, stepPath, question, details, choices, form } = wait;
  const draft = useAnswerDraft(form);
  const answer = useAction('runs.answer', {
    changes: ['runs', 'batch', 'waits'],
    onSuccess() {
      box.current?.focus({ preventScroll: true });
      notify(runViewTexts.answered);
    },
  });
  const problems = useMemo(() => fieldProblems(answer.error), [answer.error]);
  return (
    <section className="run-wait" aria-label={runViewTexts.question(question ?? '')}>
      <p className="run-question">
        <strong>
          <bdi>{question}</bdi>
        </strong>
      </p>
      <WaitOrigin wait={wait} />
      {details && <p className="run-text">{details}</p>}
      <AnswerFields draft={draft} problems={problems} />
      {answer.error && <FailureNotice error={answer.error} />}
      <ChoiceButtons
        choices={choices ?? []}
        isPending={answer.isPending}
        onChoose={(choice) =>
          answer.mutate({ params: { id: runId }, body: { stepId: stepPath, ...draft.toAnswer(choice) } })
        }
      />
    </section>
  );
}

const Callback = ({ wait }: { wait: FlowWait }) => (
  <section className="run-wait" aria-label={runViewTexts.callbackOf(wait.stepName)}>
    <p className="run-question">{runViewTexts.waitsForRequest(<bdi>{wait.stepName}</bdi>)}</p>
    <WaitOrigin wait={wait} />
    {wait.callbackUrl && (
      <p className="run-address">
        <code>{wait.callbackUrl}</code>
        <CopyButton text={wait.callbackUrl} label={runViewTexts.copyAddress} />
      </p>
    )}
  </section>
);

/** Where in the run it waits, since when, and until when. */
const WaitOrigin = ({ wait }: { wait: FlowWait }) => {
  const { stepId, stepName, stepPath, recordId, since, expiresAt } = wait;
  return (
    <p className="help">
      {runViewTexts.waitOfStep(<bdi>{stepName}</bdi>, <Time at={since} />, <Time at={expiresAt} />)}{' '}
      {stepPath !== stepId && <code>{stepPath}</code>}{' '}
      {recordId && <Link to={recordPath(recordId)}>{runTexts.openRecord}</Link>}
    </p>
  );
};
