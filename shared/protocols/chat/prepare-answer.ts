import { conflict, hasCode, ifMissing, notFound } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { type ClientToken, latestVersion } from '../../domain/client-tokens/client-token.ts';
import { prepareTarget, type TargetRun } from '../../execution/targets/start-target.ts';
import { survivesProcess } from '../../execution/targets/survives-process.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { targetEvents } from '../run-events/flow-response.ts';
import type { PreparedStart } from './conversation-messages.ts';
import type { EventsFor } from './open-turn.ts';

type Common = Pick<
  TargetRun,
  'executionId' | 'target' | 'owner' | 'inputs' | 'messages' | 'requestId' | 'timeLeftMs'
>;

export interface ChatRun extends Common {
  token: ClientToken;
  /** What an agent takes besides: the history of the conversation, and the tools of the page. */
  forAgent: NonNullable<TargetRun['forAgent']>;
}

export interface PreparedAnswer extends PreparedStart {
  eventsFor: EventsFor;
}

/** Prepares what answers a message, and nothing else than the session's target. @throws 404 if it was deleted. */
export async function prepareAnswer(scope: Scope, { token, ...run }: ChatRun): Promise<PreparedAnswer> {
  const { pinToVersion, surface } = token;
  const { kind } = run.target;
  const prepared = await prepareTarget(scope, {
    ...run,
    environment: token.environment === 'test' ? 'test' : 'production',
    pinned: pinToVersion === latestVersion ? undefined : pinToVersion,
    clientTokenId: token.id,
    surfaceType: 'chat',
    surface: surface ? { type: 'chat', productId: surface.productId, surfaceId: surface.id } : undefined,
    isStreamed: true,
    policy: survivesProcess,
  })
    .catch(ifMissing(undefined))
    .catch(hideDetails(kind));
  if (!prepared) throw notFound(kind === 'flow' ? 'Flow' : 'Agent');
  const { started, ...rest } = prepared;
  return { ...rest, eventsFor: targetEvents(started) };
}

/** The details of an agent that cannot run show its system prompt. */
const hideDetails = (kind: 'flow' | 'agent') => (error: unknown) => {
  if (hasCode(error, 'UNPROCESSABLE')) throw conflict('The flow has no steps');
  if (kind === 'flow' || !hasCode(error, 'VALIDATION')) throw error;
  log.info('An agent cannot answer a visitor', { reason: error.details.map(({ message }) => message) });
  throw conflict('The agent cannot run');
};
