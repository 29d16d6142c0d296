import { invalidAt } from '../../core/errors/errors.ts';
import { generateKey, hashKey } from '../../platform/auth/key-format.ts';
import { assertFits } from '../content-size.ts';
import { type ClientToken, storedClientToken } from './client-token.ts';

/** So that all tokens of a tenant fit a response. */
const tokenBytesMax = 12_000;

type Editable =
  | 'name'
  | 'flowIds'
  | 'defaultFlowId'
  | 'agentIds'
  | 'allowedOrigins'
  | 'pinToVersion'
  | 'rateLimitPerMinute'
  | 'rateLimitPerHour'
  | 'maxMessagesPerSession'
  | 'sessionIdleTimeoutMinutes'
  | 'config';

export type NewClientToken = Pick<ClientToken, Editable | 'environment'> & {
  surfaceId?: string | undefined;
};

/** Missing members stay unchanged. */
export type ClientTokenChanges = {
  [Member in Editable | 'isActive']?: ClientToken[Member] | undefined;
};

export function newValue({ environment }: Pick<ClientToken, 'environment'>) {
  const value = generateKey(`client-${environment}`);
  return { value, hash: hashKey(value) };
}

export function changedToken(before: ClientToken, changes: ClientTokenChanges): ClientToken {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(given) };
}

export function assertDefault({
  defaultFlowId,
  flowIds,
}: Pick<ClientToken, 'defaultFlowId' | 'flowIds'>): void {
  if (defaultFlowId === null || flowIds.includes(defaultFlowId)) return;
  const message = `The default flow ${defaultFlowId} is not in flowIds. Add it there, or send another defaultFlowId`;
  throw invalidAt('defaultFlowId', 'INVALID_VALUE', message);
}

/** @throws 400 if the token is too large. */
export function storedToken(token: ClientToken) {
  const item = storedClientToken(token);
  const [allowedOrigins, flowIds, agentIds] = [token.allowedOrigins, token.flowIds, token.agentIds].map(
    (list) => JSON.stringify(list),
  ) as [string, string, string];
  assertFits('a client token', { config: item.config, allowedOrigins, flowIds, agentIds }, tokenBytesMax);
  return item;
}
