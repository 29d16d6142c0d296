import { conflict, notFound } from '../../core/errors/errors.ts';
import { createdAtFromId } from '../../core/ids.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type Write } from '../../platform/data/writes.ts';
import { type AuditEvent, audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { surfaceEntity } from '../surfaces/surface/surface.ts';
import { assertWithinLimit } from '../tenant-limits.ts';
import {
  type ClientToken,
  clientCredentialEntity,
  clientTokenEntity,
  clientTokensPartition,
  surfaceTokenEntity,
} from './client-token.ts';
import { assertDefault, type NewClientToken, newValue, storedToken } from './token-changes.ts';
import { assertPinned, assertTargetsExist, findChatSurface } from './token-targets.ts';

/** @throws 400, 404 if a flow, an agent or the surface does not exist; 409 if the tenant has too many tokens. */
export async function insertToken(
  scope: Scope,
  by: Principal,
  { surfaceId, ...given }: NewClientToken,
): Promise<ClientToken> {
  const { table, newId } = scope;
  assertDefault(given);
  await assertTargetsExist(table, given);
  await assertPinned(table, given);
  const surface = surfaceId === undefined ? null : await findChatSurface(table, surfaceId);
  assertWithinLimit('client tokens', 1 + (await table.count({ partition: clientTokensPartition })));
  const { userId, organizationId } = by;
  const id = newId('clienttoken');
  const at = createdAtFromId(id);
  const token: ClientToken = {
    id,
    revision: 1,
    userId,
    organizationId,
    ...given,
    ...newValue(given),
    surface,
    isActive: true,
    lastUsedAt: null,
    createdAt: at,
    updatedAt: at,
  };
  const { name, environment, flowIds, agentIds, allowedOrigins } = token;
  const details = { name, environment, flowIds, agentIds, allowedOrigins };
  const event = { action: 'client-token.created', targetId: token.id, details };
  const { write, log } = audit(scope, by, event);
  const { tenant } = table;
  const ofSurface = surface
    ? [
        table.writes.check(surfaceEntity, surface, exists),
        table.writes.put(surfaceTokenEntity, { surfaceId: surface.id, tokenId: token.id, tenant }),
      ]
    : [];
  const insertion = table.writes.insert(clientTokenEntity, storedToken(token));
  await table.commit([...ofSurface, insertion, credentialWrite(scope, token), write]).catch((error) => {
    throw surface && error instanceof ConditionFailed ? notFound('Surface') : error;
  });
  log();
  return token;
}

/** Changes the current token together with further writes and an audit item. @throws 404; 409 after conflicts. */
export async function changeToken(
  scope: Scope,
  by: Principal,
  id: string,
  event: Omit<AuditEvent, 'targetId'>,
  decide: (before: ClientToken) => Promise<{ after: ClientToken | undefined; alsoWrite?: Write[] }>,
): Promise<ClientToken> {
  const { table, now } = scope;
  const { write, log } = audit(scope, by, { ...event, targetId: id });
  const updatedAt = now().toISOString();
  const decided = async (before: ClientToken): Promise<Modification<typeof clientTokenEntity>> => {
    const { after, alsoWrite = [] } = await decide(before);
    const own = after ? { put: storedToken({ ...after, updatedAt }) } : ({ remove: true } as const);
    return { ...own, alsoWrite: [...alsoWrite, write] };
  };
  const options = { consistent: true, conflictError };
  const token = await table.modify(clientTokenEntity, { id }, decided, options);
  if (!token) throw notFound('Client token');
  log();
  return token;
}

export const credentialWrite = ({ table }: Scope, { id, hash, userId, organizationId }: ClientToken): Write =>
  table.writes.insert(clientCredentialEntity, { hash, tokenId: id, userId, organizationId });

export const credentialRemoval = ({ table }: Scope, { hash }: ClientToken): Write =>
  table.writes.remove(clientCredentialEntity, { hash });

/** Removes everything by which a token is found. */
export const lookupRemovals = (scope: Scope, token: ClientToken): Write[] => {
  const { id: tokenId, surface } = token;
  const ofSurface = surface
    ? [scope.table.writes.remove(surfaceTokenEntity, { surfaceId: surface.id, tokenId })]
    : [];
  return [credentialRemoval(scope, token), ...ofSurface];
};

const conflictError = () =>
  conflict('The client token was changed by another request at the same time; read it again and retry');
