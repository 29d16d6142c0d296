import { useMemo } from 'react';
import { sharedTexts } from '../../texts/shared.ts';
import { type JsonObject, type JsonSchema, resolved } from '../values/schema.ts';
import { FieldFor } from './field-for.tsx';
import { schemaField } from './fields.ts';
import { type FormContext, FormProvider } from './form-context.ts';
import { MembersFields } from './members.tsx';
import { VariantField } from './variant-field.tsx';

interface Props {
  schema: JsonSchema;
  value: JsonObject;
  onChange: (value: JsonObject) => void;
  problems?: Readonly<Record<string, string>>;
  /** Where the value stands in what the problems are about: `flowSteps.2`. */
  path?: string;
  /** Members that the form leaves out. */
  hidden?: readonly string[];
  shown?: readonly string[];
  /** As `MembersFields` takes it. */
  restTitle?: string;
  isGrouped?: boolean;
  isChange?: boolean;
  custom?: FormContext['custom'];
}

const none = () => undefined;
const noNames: readonly string[] = [];

/** A form that is made of a JSON Schema of the API: what is required first, then what is set, the rest on demand. */
export function SchemaForm({
  schema,
  value,
  onChange,
  problems = {},
  path = '',
  hidden = [],
  shown = noNames,
  restTitle,
  isGrouped = false,
  isChange = false,
  custom = none,
}: Props) {
  const context = useMemo(
    () => ({ root: schema, Field: FieldFor, problems, shown, isGrouped, isChange, custom }),
    [schema, problems, shown, isGrouped, isChange, custom],
  );
  const whole = resolved(schema, schema);
  const field = schemaField(whole, schema);
  return (
    <FormProvider value={context}>
      {field.kind === 'variants' ? (
        <VariantField
          label={sharedTexts.kind}
          name=""
          help={undefined}
          problem={problems[path]}
          path={path}
          value={value}
          variants={field.variants}
          onChange={(next) => onChange(next as JsonObject)}
          isRequired
        />
      ) : (
        <MembersFields
          schema={whole}
          value={value}
          onChange={onChange}
          path={path}
          hidden={hidden}
          restTitle={restTitle}
        />
      )}
    </FormProvider>
  );
}
