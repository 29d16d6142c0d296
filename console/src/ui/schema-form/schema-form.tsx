import { createContext, useContext, useMemo } from 'react';
import { FieldFor } from './field-for.tsx';
import { isAlias, type JsonObject, type JsonSchema, resolved } from './schema.ts';

interface FormContext {
  root: JsonSchema;
  /** What is wrong with a member, by its path from the root: `config.model`, `tools.0.name`. */
  problems: Readonly<Record<string, string>>;
  /** Optional members that are always shown. */
  shown: readonly string[];
  /** Fields that the screen draws itself: `undefined` leaves the field to the form. */
  custom: (field: CustomField) => React.ReactNode | undefined;
}

export interface CustomField {
  path: string;
  name: string;
  label: string;
  schema: JsonSchema;
  value: unknown;
  onChange: (value: unknown) => void;
  problem: string | undefined;
}

const Context = createContext<FormContext>({ root: {}, problems: {}, shown: [], custom: () => undefined });
export const useForm = () => useContext(Context);

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
  custom = none,
}: Props) {
  const context = useMemo(
    () => ({ root: schema, problems, shown, custom }),
    [schema, problems, shown, custom],
  );
  return (
    <Context value={context}>
      <Members schema={resolved(schema, schema)} {...{ value, onChange, path, hidden }} />
    </Context>
  );
}

interface MembersProps {
  schema: JsonSchema;
  value: JsonObject;
  onChange: (value: JsonObject) => void;
  path: string;
  hidden?: readonly string[];
}

/** The members of an object. Empty ones are left out of the value. */
export function Members({ schema, value, onChange, path, hidden = [] }: MembersProps) {
  const { root, problems, shown } = useForm();
  const { properties = {}, required = [] } = schema;
  const set = (name: string, member: unknown) => {
    const { [name]: _before, ...rest } = value;
    const isLeftOut = member === undefined || (member === '' && !required.includes(name));
    onChange(isLeftOut ? rest : { ...value, [name]: member });
  };
  const names = Object.keys(properties).filter((name) => {
    const member = resolved(properties[name] ?? {}, root);
    return !hidden.includes(name) && !('const' in member) && !(isAlias(member) && value[name] === undefined);
  });
  const isFirst = (name: string) =>
    required.includes(name) ||
    shown.includes(name) ||
    value[name] !== undefined ||
    hasProblem(problems, joined(path, name));
  const fields = (listed: readonly string[]) =>
    listed.map((name) => (
      <FieldFor
        key={name}
        {...{ name, path: joined(path, name), isRequired: required.includes(name) }}
        schema={resolved(properties[name] ?? {}, root)}
        value={value[name]}
        onChange={(member) => set(name, member)}
      />
    ));
  const first = names.filter(isFirst);
  const rest = names.filter((name) => !isFirst(name));
  return (
    <>
      {fields(first)}
      {rest.length > 0 && first.length === 0 && rest.length <= 4 && fields(rest)}
      {rest.length > 0 && !(first.length === 0 && rest.length <= 4) && (
        <details className="more-settings">
          <summary>
            {rest.length} more {rest.length === 1 ? 'setting' : 'settings'}
          </summary>
          {fields(rest)}
        </details>
      )}
    </>
  );
}

export const joined = (path: string, name: string | number) => (path ? `${path}.${name}` : String(name));

const hasProblem = (problems: Readonly<Record<string, string>>, path: string) =>
  Object.keys(problems).some((each) => each === path || each.startsWith(`${path}.`));
