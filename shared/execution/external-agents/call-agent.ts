import type { A2aEvent, A2aRequest } from '../../adapters/ports/a2a-port.ts';
import { failureOfStatus, StepError } from '../../core/errors/step-error.ts';
import { plainStart } from '../../core/text.ts';
import { getTraceHeaders } from '../../core/tracing/active-span.ts';
import type { ExternalAgent } from './external-agent.ts';

export type AgentAnswer = Extract<A2aEvent, { type: 'end' }>;
export type AgentProgress = Exclude<A2aEvent, { type: 'end' | 'failure' }>;

const wordsMax = 300;

/** The last event is the answer: complete, or a question. @throws StepError also if the agent says that it failed */
export async function* callAgent(
  { ports, base }: ExternalAgent,
  message: Pick<A2aRequest, 'parts' | 'skillId' | 'contextId' | 'taskId' | 'signal'>,
): AsyncGenerator<AgentProgress | AgentAnswer, void> {
  for await (const event of ports.a2a.send({
    ...base,
    ...message,
    headers: { ...getTraceHeaders(), ...base.headers },
  })) {
    if (event.type === 'failure') throw toRefusal(event);
    if (event.type === 'end' && !isAnswer(event)) {
      throw new StepError(sentence(`The agent ended its task as ${event.state}`, event.text));
    }
    yield event;
  }
}

const isAnswer = ({ state }: AgentAnswer) => state === 'completed' || state === 'input-required';

function toRefusal({ failure, status }: Extract<A2aEvent, { type: 'failure' }>): StepError {
  if (status === 401 || status === 403) {
    return new StepError(
      sentence(
        `The agent asks for authorization (${status}): check externalConfig.auth. It answered`,
        failure,
      ),
    );
  }
  const what = status === undefined ? 'The agent answered with an error' : `The agent answered ${status}`;
  return new StepError(sentence(what, failure), status === undefined ? {} : failureOfStatus(status));
}

function sentence(what: string, words: string): string {
  const plain = plainStart(words, wordsMax);
  return plain ? `${what}: ${plain}` : what;
}
