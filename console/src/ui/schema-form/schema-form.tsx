import { createContext, useContext, useMemo, useState } from 'react';
import { FieldFor } from './field-for.tsx';
import { allowsNull, isAlias, type JsonObject, type JsonSchema, resolved } from './schema.ts';

interface FormContext {
  root: JsonSchema;
  /** What is wrong with a member, by its path from the root: `config.model`, `tools.0.name`. */
  problems: Readonly<Record<string, string>>;
  /** Optional members that are always shown. */
  shown: readonly string[];
  /** Whether what the body does not name stays as it is. */
  isChange: boolean;
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

const Context = createContext<FormContext>({
  ...{ root: {}, problems: {}, shown: [], isChange: false, custom: () => undefined },
});
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
  isChange = false,
  custom = none,
}: Props) {
  const context = useMemo(
    () => ({ root: schema, problems, shown, isChange, custom }),
    [schema, problems, shown, isChange, custom],
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
  const { root, problems, shown, isChange } = useForm();
  const { properties = {}, required = [] } = schema;
  const [atFirst] = useState(value);
  const set = (name: string, member: unknown) => {
    const { [name]: _before, ...rest } = value;
    const isEmpty = member === undefined || (member === '' && !required.includes(name));
    if (!isEmpty) return onChange({ ...value, [name]: member });
    // What was set is taken away by null, where the API has that.
    const isTaken = atFirst[name] != null && allowsNull(resolved(properties[name] ?? {}, root));
    onChange(isTaken ? { ...rest, [name]: null } : rest);
  };
  const names = Object.keys(properties).filter((name) => {
    const member = resolved(properties[name] ?? {}, root);
    return !hidden.includes(name) && !('const' in member) && !(isAlias(member) && value[name] === undefined);
  });
  // A change has no way to say that such a member is not set any more.
  const staysSet = (name: string) =>
    isChange && path === '' && atFirst[name] != null && !allowsNull(resolved(properties[name] ?? {}, root));
  // By the first value, so that no field moves while somebody types into it.
  const isFirst = (name: string) =>
    required.includes(name) || shown.includes(name) || atFirst[name] !== undefined;
  const fields = (listed: readonly string[]) =>
    listed.map((name) => (
      <FieldFor
        key={name}
        {...{ name, path: joined(path, name), isRequired: required.includes(name) }}
        staysSet={staysSet(name)}
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
        <details
          className="more-settings"
          {...(rest.some((name) => hasProblem(problems, joined(path, name))) && { open: true })}
        >
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
