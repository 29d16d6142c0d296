import type {
  ModelEvent,
  ModelFinish,
  ModelMessage,
  ModelRequest,
} from '../../../adapters/ports/model-port.ts';
import type { Ports } from '../../../adapters/ports/ports.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { modelNotFound, toRequestError } from '../error-form.ts';
import { type ModelRunOwner, modelRuns } from '../model-run.ts';
import type { AnswerEnd, AnswerEvent, OpenaiAnswer } from './streamed-answer.ts';

interface Asking {
  asked: Omit<ModelRequest, 'messages' | 'signal'>;
  messagesFor: (ports: Ports, signal: AbortSignal) => Promise<ModelMessage[]>;
}

/** The answer of a model. @throws 404 if the tenant has none of that name */
export async function modelAnswer(
  scope: Scope,
  owner: ModelRunOwner,
  { asked, messagesFor }: Asking,
): Promise<OpenaiAnswer> {
  const run = await modelRuns(scope).open(owner);
  const model = await assertModel(run.ports, asked.model);
  async function* events(signal: AbortSignal): AsyncGenerator<AnswerEvent, void> {
    const messages = await messagesFor(run.ports, signal);
    try {
      for await (const event of run.stream({ ...asked, messages, signal })) {
        const shown = toAnswerEvent(event);
        if (shown) yield shown;
      }
    } catch (error) {
      throw toRequestError(error);
    }
  }
  return { runId: run.id, model, startedAt: run.startedAt, events };
}

/** @returns `<provider>/<modelId>`. @throws 404 */
export async function assertModel({ model }: Pick<Ports, 'model'>, name: string): Promise<string> {
  try {
    const { provider, modelId } = (await model.identity(name)) as { provider: string; modelId: string };
    return `${provider}/${modelId}`;
  } catch (error) {
    if (error instanceof StepError) throw modelNotFound(name, error.message);
    throw error;
  }
}

function toAnswerEvent(event: ModelEvent): AnswerEvent | undefined {
  switch (event.type) {
    case 'source':
      return undefined;
    case 'start':
      return { type: 'start' };
    case 'finish':
      return { type: 'end', stopReason: toStopReason(event), usage: event.usage };
    default:
      return event;
  }
}

const stopReasons: Readonly<Record<ModelFinish['stopReason'], AnswerEnd['stopReason']>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content-filter',
  'tool-calls': 'tool-calls',
  interrupted: 'stop',
  error: 'stop',
  other: 'stop',
};

/** Some providers say `stop` of a response that calls tools. */
function toStopReason({ stopReason, message: { content } }: ModelFinish): AnswerEnd['stopReason'] {
  const calls = typeof content !== 'string' && content.some(({ type }) => type === 'tool-call');
  return calls && stopReason !== 'length' ? 'tool-calls' : stopReasons[stopReason];
}
