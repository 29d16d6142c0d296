import { useState } from 'react';
import { runViewTexts } from '../texts/run-view.ts';
import { Button } from '../ui/forms/button.tsx';
import { TextField } from '../ui/forms/field.tsx';
import { SchemaForm } from '../ui/schema-form/schema-form.tsx';
import type { JsonObject, JsonSchema } from '../ui/values/schema.ts';

type Form = Readonly<Record<string, unknown>> | null;

/** An answer to a question of a run, as far as it is written. */
export function useAnswerDraft(form: Form, written = '') {
  const [values, setValues] = useState(() => begun(form));
  const [comment, setComment] = useState(written);
  return {
    form,
    values,
    setValues,
    comment,
    setComment,
    toAnswer: (choice: string) => ({
      choice,
      ...(form && { values }),
      ...(comment.trim() !== '' && { comment }),
    }),
  };
}

interface FieldsProps {
  draft: ReturnType<typeof useAnswerDraft>;
  /** What is wrong, by the path in the answer: `values.amount`. */
  problems: Readonly<Record<string, string>>;
}

/** The form of a question, and a comment. */
export const AnswerFields = ({ draft, problems }: FieldsProps) => (
  <>
    {draft.form && (
      <SchemaForm
        schema={draft.form as JsonSchema}
        shown={Object.keys((draft.form as JsonSchema).properties ?? {})}
        path="values"
        problems={problems}
        value={draft.values}
        onChange={draft.setValues}
      />
    )}
    <div className="answer-comment">
      <TextField
        label={runViewTexts.comment}
        lines={2}
        value={draft.comment}
        onChange={draft.setComment}
        problem={problems.comment}
      />
    </div>
  </>
);

interface ChoicesProps {
  choices: readonly string[];
  isPending: boolean;
  onChoose: (choice: string) => void;
  /** Whether each shows the digit that presses it. */
  hasKeys?: boolean;
}

export const ChoiceButtons = ({ choices, isPending, onChoose, hasKeys = false }: ChoicesProps) => (
  <div className="actions">
    {choices.map((choice, place) => (
      <Button
        key={choice}
        look={place === 0 ? 'primary' : 'plain'}
        isPending={isPending}
        onPress={() => onChoose(choice)}
        {...(hasKeys && place < 9 && { 'data-key': String(place + 1) })}
      >
        {hasKeys && place < 9 && (
          <span className="key" aria-hidden="true">
            {place + 1}
          </span>
        )}
        {choiceText(choice)}
      </Button>
    ))}
  </div>
);

/** A choice as people read it. */
export const choiceText = (choice: string): string => runViewTexts.choices[choice] ?? choice;

/** A field for yes or no shows no until somebody changes it, so that is its value. */
function begun(form: Form): JsonObject {
  const { properties = {} } = (form ?? {}) as JsonSchema;
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, { type, default: standard }]) =>
      standard !== undefined ? [[name, standard]] : type === 'boolean' ? [[name, false]] : [],
    ),
  );
}
