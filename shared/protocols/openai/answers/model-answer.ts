import type {
  ModelEvent,
  ModelFinish,
  ModelMessage,
  ModelRequest,
} from '../../../adapters/ports/model-port.ts';
import type { Ports } from '../../../adapters/ports/ports.ts';
import { missingPermission } from '../../../core/errors/errors.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import { targetScope } from '../../../execution/targets/start-target.ts';
import { type Target, targetFinder } from '../../../execution/targets/target.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { covers } from '../../../platform/identity/permissions.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
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

/** All that a model, a flow or an agent may take. */
export const answererScope = /* @__PURE__ */ using(
  [modelRuns, targetScope, targetFinder],
  (all: Scope) => all,
);

/**
 * Who answers to the name of a model: a flow, an agent, or undefined for a model itself.
 * @throws 403 if the caller may not run it; 404 if the name is of no flow or agent
 */
export async function findAnswerer(
  scope: Scope,
  principal: Pick<Principal, 'permissions'>,
  model: string,
): Promise<Target | undefined> {
  const named = parseTargetName(model);
  assertMayAsk(principal.permissions, named);
  if (!named) return undefined;
  const target = await targetFinder(scope)(named.kind, named.idOrName);
  if (!target) throw modelNotFound(model);
  return target;
}

const ofTarget = /^(agent|flow)\/(.+)$/s;

interface Named {
  kind: 'agent' | 'flow';
  idOrName: string;
}

/** The flow or agent that a model names; undefined for a model itself. */
export function parseTargetName(model: string): Named | undefined {
  const [, kind, idOrName = ''] = ofTarget.exec(model) ?? [];
  return kind === undefined ? undefined : { kind: kind as Named['kind'], idOrName };
}

/** @throws 403 if the caller may not run whoever answers */
export function assertMayAsk(permissions: readonly string[], named: Named | undefined): void {
  const permission = named?.kind === 'agent' ? 'AGENTS:EXECUTE' : 'FLOWS:EXECUTE';
  if (!covers(permissions, permission)) throw missingPermission(permission);
}
