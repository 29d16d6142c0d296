import { type RefObject, useMemo, useRef, useState } from 'react';
import type { AnswerOf } from '../api/api.ts';
import { useAction } from '../api/queries.ts';
import { recordPath } from '../routing/record-paths.ts';
import { runViewTexts } from '../texts/run-view.ts';
import { runTexts } from '../texts/runs.ts';
import { Button } from '../ui/forms/button.tsx';
import { CopyButton } from '../ui/forms/copy-button.tsx';
import { TextField } from '../ui/forms/field.tsx';
import { Link } from '../ui/link.tsx';
import { Failure } from '../ui/loading/failure.tsx';
import { problemsOf } from '../ui/loading/failure-text.ts';
import { notify } from '../ui/notices.tsx';
import { SchemaForm } from '../ui/schema-form/schema-form.tsx';
import type { JsonObject, JsonSchema } from '../ui/values/schema.ts';
import { Time } from '../ui/values/time.tsx';
import '../style/run.css';

export type FlowWait = AnswerOf<'GET /v1/runs/{id}'>['waits'][number];

/** What a run of a flow waits for: questions to answer here, and requests to addresses. */
export function FlowWaits({ waits }: { waits: readonly FlowWait[] }) {
  const box = useRef<HTMLDivElement>(null);
  return (
    <div ref={box} tabIndex={-1} className="stack run-waits">
      {waits.map((wait) =>
        wait.kind === 'approval' ? (
          <Question key={`${wait.runId} ${wait.stepPath}`} wait={wait} box={box} />
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

function Question({ wait, box }: QuestionProps) {
  const { runId, stepPath, question, details, choices, form } = wait;
  const [values, setValues] = useState(() => begun(form));
  const [comment, setComment] = useState('');
  const answer = useAction('POST /v1/runs/{id}/answer', {
    changes: ['runs', 'batch'],
    onSuccess() {
      box.current?.focus({ preventScroll: true });
      notify(runViewTexts.answered);
    },
  });
  const problems = useMemo(() => problemsOf(answer.error), [answer.error]);
  const choose = (choice: string) => {
    const given = { choice, ...(form && { values }), ...(comment.trim() !== '' && { comment }) };
    answer.mutate({ params: { id: runId }, body: { stepId: stepPath, ...given } });
  };
  return (
    <section className="run-wait" aria-label={runViewTexts.question(question ?? '')}>
      <p className="run-question">
        <strong>
          <bdi>{question}</bdi>
        </strong>
      </p>
      <Origin wait={wait} />
      {details && <p className="run-text">{details}</p>}
      {form && (
        <SchemaForm
          schema={form as JsonSchema}
          shown={Object.keys((form as JsonSchema).properties ?? {})}
          path="values"
          {...{ problems }}
          value={values}
          onChange={setValues}
        />
      )}
      <TextField
        label={runViewTexts.comment}
        lines={2}
        value={comment}
        onChange={setComment}
        problem={problems.comment}
      />
      {answer.error && <Failure error={answer.error} />}
      <div className="actions">
        {choices?.map((choice, place) => (
          <Button
            key={choice}
            look={place === 0 ? 'primary' : 'plain'}
            isPending={answer.isPending}
            onPress={() => choose(choice)}
          >
            {runViewTexts.choices[choice] ?? choice}
          </Button>
        ))}
      </div>
    </section>
  );
}

/** A field for yes or no shows no until somebody changes it, so that is its value. */
function begun(form: FlowWait['form']): JsonObject {
  const { properties = {} } = (form ?? {}) as JsonSchema;
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, { type, default: standard }]) =>
      standard !== undefined ? [[name, standard]] : type === 'boolean' ? [[name, false]] : [],
    ),
  );
}

const Callback = ({ wait }: { wait: FlowWait }) => (
  <section className="run-wait" aria-label={runViewTexts.callbackOf(wait.stepName)}>
    <p className="run-question">{runViewTexts.waitsForRequest(<bdi>{wait.stepName}</bdi>)}</p>
    <Origin wait={wait} />
    {wait.callbackUrl && (
      <p className="run-address">
        <code>{wait.callbackUrl}</code>
        <CopyButton text={wait.callbackUrl} label={runViewTexts.copyAddress} />
      </p>
    )}
  </section>
);

/** Where in the run it waits, since when, and until when. */
const Origin = ({ wait }: { wait: FlowWait }) => {
  const { stepId, stepName, stepPath, recordId, since, expiresAt } = wait;
  return (
    <p className="help">
      {runViewTexts.waitOfStep(<bdi>{stepName}</bdi>, <Time at={since} />, <Time at={expiresAt} />)}{' '}
      {stepPath !== stepId && <code>{stepPath}</code>}{' '}
      {recordId && <Link to={recordPath(recordId)}>{runTexts.openRecord}</Link>}
    </p>
  );
};
