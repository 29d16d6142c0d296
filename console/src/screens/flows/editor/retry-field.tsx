import { editorTexts } from '../../../texts/flow-editor.ts';
import { CheckField } from '../../../ui/forms/check.tsx';
import type { CustomField } from '../../../ui/schema-form/form-context.ts';
import { fieldHelp } from '../../../ui/schema-form/help.ts';
import { MembersFields } from '../../../ui/schema-form/members.tsx';
import { NumberField } from '../../../ui/schema-form/number-field.tsx';
import { hasProblem } from '../../../ui/schema-form/paths.ts';
import { isObject } from '../../../ui/values/schema.ts';

interface Props extends Pick<CustomField, 'path' | 'schema' | 'value' | 'onChange'> {
  problems: Readonly<Record<string, string>>;
}

/** Whether and how a step is tried again, in a section that is closed at first. */
export const RetryField = ({ path, schema, value, onChange, problems }: Props) => (
  <details className="more-settings" {...(hasProblem(problems, path) && { open: true })}>
    <summary>{editorTexts.retry}</summary>
    <CheckField
      label={editorTexts.retryAfterFailures}
      help={schema.description}
      isOn={isObject(value)}
      onChange={(isOn) => onChange(isOn ? {} : undefined)}
    />
    {isObject(value) && <MembersFields {...{ path, schema, value, onChange }} />}
  </details>
);

/** How long an attempt of a step may take. */
export const TimeLimitField = ({ schema, value, problem, onChange }: CustomField) => (
  <NumberField
    {...{ value, problem, onChange }}
    label={editorTexts.timeLimitMs}
    help={fieldHelp(schema)}
    isRequired={false}
    isWhole
  />
);
