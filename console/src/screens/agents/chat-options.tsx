import { lazy, Suspense } from 'react';
import { Choice } from '../../ui/forms/choice.tsx';
import { Loading } from '../../ui/loading/loaded.tsx';
import { isObject } from '../../ui/values/schema.ts';

const JsonField = lazy(async () => ({
  default: (await import('../../ui/schema-form/json-field.tsx')).JsonField,
}));

export interface Options {
  version: 'draft' | 'published' | undefined;
  inputs: unknown;
  clientTools: unknown;
  problem?: string;
}

export const noOptions: Options = { version: undefined, inputs: undefined, clientTools: undefined };

const versions = [
  { value: '', label: 'Published version (what callers get)' },
  { value: 'draft', label: 'Draft' },
] as const;

/** How the next answers are made. */
export const ChatOptions = ({
  options,
  onChange,
}: {
  options: Options;
  onChange: (options: Options) => void;
}) => (
  <details className="more-settings">
    <summary>Run options</summary>
    <Choice
      label="Version"
      value={options.version === 'draft' ? 'draft' : ''}
      options={versions}
      onChange={(version) => onChange({ ...options, version: version || undefined })}
    />
    <Suspense fallback={<Loading />}>
      <JsonField
        label="Inputs"
        help="Variables of the instructions, by name"
        problem={options.inputs === undefined || isObject(options.inputs) ? undefined : 'Expected an object'}
        value={options.inputs}
        onChange={(inputs) => onChange({ ...options, inputs })}
      />
      <JsonField
        label="Client tools"
        help="A list of { name, description, parametersSchema }: when the agent calls one, you give its output"
        problem={undefined}
        value={options.clientTools}
        onChange={(clientTools) => onChange({ ...options, clientTools })}
      />
    </Suspense>
  </details>
);
