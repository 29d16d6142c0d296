import { lazy, Suspense } from 'react';
import { playgroundTexts } from '../../../texts/playground.ts';
import { Loading } from '../../../ui/loading/loaded.tsx';
import { isObject } from '../../../ui/values/schema.ts';

const JsonField = lazy(async () => ({
  default: (await import('../../../ui/schema-form/json-field.tsx')).JsonField,
}));

export interface AnswerOptions {
  version: 'draft' | 'published';
  inputs: unknown;
  clientTools: unknown;
}

export const noOptions: AnswerOptions = { version: 'draft', inputs: undefined, clientTools: undefined };

/** Why no request can be made of the options. */
export const inputsProblem = ({ inputs }: AnswerOptions) =>
  inputs === undefined || isObject(inputs) ? undefined : playgroundTexts.expectedAnObject;

/** What the next answers get beside the messages. */
export const PlaygroundOptions = ({
  options,
  onChange,
}: {
  options: AnswerOptions;
  onChange: (options: AnswerOptions) => void;
}) => (
  <details className="more-settings">
    <summary>{playgroundTexts.runOptions}</summary>
    <Suspense fallback={<Loading />}>
      <JsonField
        label={playgroundTexts.inputs}
        help={playgroundTexts.variablesByName}
        problem={inputsProblem(options)}
        value={options.inputs}
        onChange={(inputs) => onChange({ ...options, inputs })}
      />
      <JsonField
        label={playgroundTexts.clientTools}
        help={playgroundTexts.aboutClientTools}
        problem={undefined}
        value={options.clientTools}
        onChange={(clientTools) => onChange({ ...options, clientTools })}
      />
    </Suspense>
  </details>
);
