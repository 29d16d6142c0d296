import { useCall } from '../../api/queries.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { CheckField } from '../../ui/forms/check.tsx';
import { Loaded } from '../../ui/loading/loaded.tsx';
import type { CustomField } from '../../ui/schema-form/form-context.ts';

/** Draws the member `permissions` of a form. */
export const permissionsField = ({ name, ...field }: CustomField) =>
  name === 'permissions' ? <PermissionsField {...field} /> : undefined;

function PermissionsField({ value, schema, onChange, problem }: Omit<CustomField, 'name'>) {
  const options = useCall('api-keys.options');
  const held = (value ?? schema.default ?? []) as readonly string[];
  const toggle = (permission: string, isOn: boolean) =>
    onChange(isOn ? [...held, permission] : held.filter((each) => each !== permission));
  return (
    <fieldset>
      <legend>{sharedTexts.permissions}</legend>
      {problem && <p className="problem">{problem}</p>}
      <Loaded of={options}>
        {({ permissionGroups }) =>
          permissionGroups.map((group) => (
            <details key={group.key} open={group.permissions.some((each) => held.includes(each))}>
              <summary>{group.label}</summary>
              {group.permissions.map((permission) => (
                <CheckField
                  key={permission}
                  label={<code>{permission}</code>}
                  isOn={held.includes(permission)}
                  onChange={(isOn) => toggle(permission, isOn)}
                />
              ))}
            </details>
          ))
        }
      </Loaded>
    </fieldset>
  );
}
