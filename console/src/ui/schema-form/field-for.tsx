import { lazy, Suspense, useState } from 'react';
import { Check } from '../check.tsx';
import { Choice } from '../choice.tsx';
import { TextField } from '../field.tsx';
import { Loading } from '../loaded.tsx';
import { ListField } from './list-field.tsx';
import { fieldOf, isObject, type JsonSchema, labelOf, withoutNull } from './schema.ts';
import { Members, useForm } from './schema-form.tsx';
import { VariantField } from './variant-field.tsx';

const JsonField = lazy(async () => ({ default: (await import('./json-field.tsx')).JsonField }));

export interface FieldProps {
  name: string;
  label?: string;
  path: string;
  schema: JsonSchema;
  value: unknown;
  onChange: (value: unknown) => void;
  isRequired: boolean;
  /** Whether a choice can be changed, but not be taken away. */
  staysSet?: boolean;
}

/** One member of a form. */
export function FieldFor(props: FieldProps) {
  const { name, path, value, onChange, isRequired, staysSet = false } = props;
  const { root, problems, custom } = useForm();
  const schema = withoutNull(props.schema, root);
  const problem = problems[path];
  const label = props.label ?? labelOf(name);
  const drawn = custom({ path, name, label, schema, value, onChange, problem });
  if (drawn !== undefined) return drawn;
  const help = helpOf(schema);
  const field = fieldOf(schema, root);
  switch (field.kind) {
    case 'const':
      return null;
    case 'choice':
      return (
        <Choice
          {...{ label, help, problem }}
          value={String(value ?? '')}
          onChange={(chosen) => onChange(chosen === '' ? undefined : chosen)}
          options={[
            ...((isRequired || staysSet) && value !== undefined ? [] : [{ value: '', label: 'Not set' }]),
            ...field.values.map((each) => ({ value: each, label: labelOf(each) })),
          ]}
        />
      );
    case 'text':
      return (
        <TextField
          {...{ label, help, problem, isRequired }}
          value={typeof value === 'string' ? value : ''}
          onChange={onChange}
          {...(field.isLong && { lines: 3 })}
          {...(field.isSecret && { type: 'password', autoComplete: 'off' })}
        />
      );
    case 'number':
      return <NumberField {...{ label, help, problem, isRequired, value, onChange, ...field }} />;
    case 'yes-no':
      return <Check {...{ label, help }} isOn={(value ?? schema.default) === true} onChange={onChange} />;
    case 'object':
      return (
        <fieldset>
          <legend>{label}</legend>
          {help && <p className="help">{help}</p>}
          {problem && <p className="problem">{problem}</p>}
          <Members
            schema={field.schema}
            path={path}
            value={isObject(value) ? value : {}}
            onChange={onChange}
          />
        </fieldset>
      );
    case 'list':
      return <ListField {...{ label, help, problem, path, value, onChange }} items={field.items} />;
    case 'variants':
      return (
        <VariantField
          {...{ label, help, problem, path, value, onChange, name, isRequired }}
          variants={field.variants}
        />
      );
    case 'json':
      return (
        <Suspense fallback={<Loading />}>
          <JsonField {...{ label, help, problem, value, onChange }} />
        </Suspense>
      );
  }
}

interface NumberProps {
  label: string;
  help: string | undefined;
  problem: string | undefined;
  isRequired: boolean;
  isWhole: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Keeps the text as one types it, such as `0.0`; what is not a number is passed on, so that the API's answer can say so. */
function NumberField({ isWhole, value, onChange, ...props }: NumberProps) {
  const [text, setText] = useState(textOf(value));
  // The value changed elsewhere, by an undo for instance.
  const shown = numberOf(text) === (value ?? undefined) ? text : textOf(value);
  return (
    <TextField
      {...props}
      inputMode={isWhole ? 'numeric' : 'decimal'}
      value={shown}
      onChange={(next) => {
        setText(next);
        onChange(numberOf(next));
      }}
    />
  );
}

const textOf = (value: unknown) => (value === undefined || value === null ? '' : String(value));

function numberOf(text: string): number | string | undefined {
  if (text === '') return undefined;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function helpOf({
  description,
  example,
  minimum,
  maximum,
  default: standard,
}: JsonSchema): string | undefined {
  const range =
    minimum !== undefined && maximum !== undefined && Math.abs(maximum) < 1e12
      ? `${minimum} to ${maximum}`
      : undefined;
  const shown = [
    description,
    range,
    typeof example === 'string' && `Example: ${example}`,
    ['number', 'string'].includes(typeof standard) &&
      standard !== '' &&
      !description?.includes('efault') &&
      `Default: ${standard}`,
  ].filter(Boolean);
  return shown.length > 0 ? shown.join('. ') : undefined;
}
