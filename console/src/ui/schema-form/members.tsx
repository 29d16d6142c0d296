import { useState } from 'react';
import { formTexts } from '../../texts/forms.ts';
import {
  allowsNull,
  isAlias,
  type JsonObject,
  type JsonSchema,
  resolved,
  withoutNull,
} from '../values/schema.ts';
import { useForm } from './form-context.ts';
import { hasProblem, joined } from './paths.ts';
import { describeSettings, findSettingGroup, settingGroups } from './setting-groups.ts';

interface Props {
  schema: JsonSchema;
  value: JsonObject;
  onChange: (value: JsonObject) => void;
  path: string;
  hidden?: readonly string[];
  /** What all settings that are not needed at first are called together. Default: groups of them, by what they are about. */
  restTitle?: string | undefined;
}

/** The members of an object. Empty ones are left out of the value. */
export function MembersFields({ schema, value, onChange, path, hidden = [], restTitle }: Props) {
  const { root, Field, problems, shown, isGrouped, isChange } = useForm();
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
  const groupOf = (name: string) => (restTitle ? 'others' : findSettingGroup(name));
  const isFirst = (name: string) =>
    required.includes(name) ||
    shown.includes(name) ||
    (atFirst[name] !== undefined && (!isGrouped || groupOf(name) === 'others'));
  const fields = (listed: readonly string[]) =>
    listed.map((name) => (
      <Field
        key={name}
        name={name}
        path={joined(path, name)}
        isRequired={required.includes(name)}
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
      {rest.length > 0 &&
        !(first.length === 0 && rest.length <= 4) &&
        settingGroups.map((group) => {
          const inside = rest.filter((name) => groupOf(name) === group);
          return (
            inside.length > 0 && (
              <details
                key={group}
                className="more-settings"
                {...(inside.some((name) => hasProblem(problems, joined(path, name))) && { open: true })}
              >
                <summary>
                  <strong>{restTitle ?? formTexts.settingGroups[group]}</strong>{' '}
                  <span className="help">
                    <bdi>
                      {describeSettings(inside, value, (name) =>
                        withoutNull(resolved(properties[name] ?? {}, root), root),
                      )}
                    </bdi>
                  </span>
                </summary>
                {fields(inside)}
              </details>
            )
          );
        })}
    </>
  );
}
