import { lazy, Suspense, useMemo, useState } from 'react';
import type { OperationResponse } from '../../../api/api.ts';
import { useAction } from '../../../api/queries.ts';
import { settingsTexts } from '../../../texts/settings.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { fieldProblems } from '../../../ui/loading/failure-text.ts';
import { Loading } from '../../../ui/loading/loaded.tsx';
import { initialValue } from '../../../ui/schema-form/fields.ts';
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx';
import { StatusLabel } from '../../../ui/status.tsx';
import type { JsonObject } from '../../../ui/values/schema.ts';
import { Value } from '../../../ui/values/value.tsx';
import { argumentFormSchema } from './argument-schema.ts';

const JsonField = lazy(async () => ({
  default: (await import('../../../ui/schema-form/json-field.tsx')).JsonField,
}));

/** Runs a tool with arguments, or shows what a run would send. */
export function TryTool({ tool }: { tool: OperationResponse<'tools.get'> }) {
  const schema = useMemo(() => argumentFormSchema(tool.parametersSchema ?? {}), [tool.parametersSchema]);
  const [parameters, setParameters] = useState<unknown>(() => (schema && initialValue(schema, schema)) ?? {});
  const preview = useAction('tool-runs.test', { changes: [] });
  const run = useAction('tool-runs.execute');
  const last = run.submittedAt > preview.submittedAt ? run : preview;
  const problems = useMemo(() => fieldProblems(last.error), [last.error]);
  const request = { params: { id: tool.id }, body: { parameters: parameters as JsonObject } };
  return (
    <section className="card" aria-labelledby="try">
      <h2 id="try">{sharedTexts.try}</h2>
      {schema ? (
        <SchemaForm
          schema={schema}
          problems={problems}
          path="parameters"
          value={parameters as JsonObject}
          onChange={setParameters}
        />
      ) : (
        <Suspense fallback={<Loading />}>
          <JsonField
            label={settingsTexts.argumentsAsJson}
            help={undefined}
            problem={problems.parameters}
            value={parameters}
            onChange={setParameters}
          />
        </Suspense>
      )}
      <p className="help">{settingsTexts.runIsReal}</p>
      <div className="actions">
        <Button look="primary" isPending={run.isPending} onPress={() => run.mutate(request)}>
          {sharedTexts.run}
        </Button>
        <Button
          isPending={preview.isPending}
          onPress={() => preview.mutate({ ...request, body: { ...request.body, execute: false } })}
        >
          {settingsTexts.showWhatItWouldSend}
        </Button>
      </div>
      {last.error && <FailureNotice error={last.error} />}
      {last.data && !last.isPending && <ToolAnswer answer={last.data} />}
    </section>
  );
}

/** What came of a try. */
const ToolAnswer = ({ answer }: { answer: OperationResponse<'tool-runs.execute'> }) => (
  <>
    <p role="status" style={{ marginTop: '1rem' }}>
      {answer.status === 'pending'
        ? settingsTexts.nothingSentYet
        : (answer.status === 'waiting_for_local'
            ? settingsTexts.callerExecutesTool
            : settingsTexts.statusAfter)(<StatusLabel of={answer.status} />, answer.executionTimeMs)}
    </p>
    {answer.error !== undefined && (
      <p className="failure">
        <bdi>{answer.error}</bdi>
      </p>
    )}
    {answer.result !== undefined && <Value of={answer.result} label={settingsTexts.result} />}
  </>
);
