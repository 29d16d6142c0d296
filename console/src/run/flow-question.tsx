import { type RefObject, useMemo, useState } from 'react';
import { useAction } from '../api/queries.ts';
import { runViewTexts } from '../texts/run-view.ts';
import { Button } from '../ui/forms/button.tsx';
import { TextField } from '../ui/forms/field.tsx';
import { FailureNotice } from '../ui/loading/failure.tsx';
import { fieldProblems } from '../ui/loading/failure-text.ts';
import { notify } from '../ui/notices.tsx';
import { SchemaForm } from '../ui/schema-form/schema-form.tsx';
import type { JsonObject, JsonSchema } from '../ui/values/schema.ts';
import { type FlowWait, WaitOrigin } from './wait-origin.tsx';

interface Props {
  wait: FlowWait;
  /** Gets the focus when the question goes away with its buttons. */
  box: RefObject<HTMLElement | null>;
}

/** An approval that a run of a flow waits for, with what answers it. */
export function FlowQuestion({ wait, box }: Props) {
  const { runId, stepPath, question, details, choices, form } = wait;
  const [values, setValues] = useState(() => begun(form));
  const [comment, setComment] = useState('');
  const answer = useAction('runs.answer', {
    changes: ['runs', 'batch'],
    onSuccess() {
      box.current?.focus({ preventScroll: true });
      notify(runViewTexts.answered);
    },
  });
  const problems = useMemo(() => fieldProblems(answer.error), [answer.error]);
  const choose = (choice: string) => {
    const waitAnswer = { choice, ...(form && { values }), ...(comment.trim() !== '' && { comment }) };
    answer.mutate({ params: { id: runId }, body: { stepId: stepPath, ...waitAnswer } });
  };
  return (
    <section className="run-wait" aria-label={runViewTexts.question(question ?? '')}>
      <p className="run-question">
        <strong>
          <bdi>{question}</bdi>
        </strong>
      </p>
      <WaitOrigin wait={wait} />
      {details && <p className="run-text">{details}</p>}
      {form && (
        <SchemaForm
          schema={form as JsonSchema}
          shown={Object.keys((form as JsonSchema).properties ?? {})}
          path="values"
          problems={problems}
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
      {answer.error && <FailureNotice error={answer.error} />}
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
