import type { ReactNode } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useCall } from '../../api/queries.ts';
import { runViewTexts } from '../../texts/run-view.ts';
import { isObject } from '../../ui/values/schema.ts';
import { Time } from '../../ui/values/time.tsx';
import { Value } from '../../ui/values/value.tsx';

type Execution = OperationResponse<'agent-executions.get'>;

/** What the model was told: instructions, messages, and summaries in place of older messages. */
export function Prompts({ execution, agentId }: { execution: Execution; agentId: string }) {
  const { agentSpec, agentVersionId, inputMessages, compactions } = execution;
  const version = useCall(
    'agent-versions.get',
    { params: { agentId: execution.agentId ?? agentId, versionId: agentVersionId ?? '' } },
    { enabled: agentVersionId !== null },
  );
  const spec = isObject(agentSpec) ? agentSpec : version.data?.agentConfig;
  const config = isObject(spec?.config) ? spec.config : {};
  const messages = Array.isArray(inputMessages) ? inputMessages.filter(isObject) : [];
  return (
    <section className="card" aria-labelledby="prompts">
      <h2 id="prompts">{runViewTexts.prompts}</h2>
      <div className="run-parts">
        {typeof config.systemPrompt === 'string' && (
          <Part title={runViewTexts.instructionsTemplate} of={config.systemPrompt} />
        )}
        {messages.map(({ role, content }, index) => {
          const isLast = index === messages.length - 1;
          // biome-ignore lint/suspicious/noArrayIndexKey: messages never change their place
          return <Part key={index} title={runViewTexts.messageOf(role)} of={content} isOpen={isLast} />;
        })}
        {compactions.map(({ at, summary }) => (
          <Part key={at} of={summary} title={runViewTexts.summarySince(<Time at={at} />)} />
        ))}
      </div>
    </section>
  );
}

const Part = ({ title, of, isOpen = false }: { title: ReactNode; of: unknown; isOpen?: boolean }) => (
  <details className="run-part" open={isOpen}>
    <summary>{title}</summary>
    <Value of={of} label={typeof title === 'string' ? title : runViewTexts.summary} />
  </details>
);
