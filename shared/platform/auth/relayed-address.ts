import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../aws/uses.ts';
import { onConditionFailed } from '../data/condition-failed.ts';
import { defineEntity } from '../data/entity.ts';
import type { Scope } from '../data/scope.ts';
import { exists } from '../data/writes.ts';
import type { Runtime } from '../runtime.ts';
import { credentialPartition } from './api-key.ts';
import { generateKey, hashKey, isWellFormedKey } from './key-format.ts';

/** Of a request that the service makes to itself for a caller (D38). */
const headerName = 'x-relayed-caller';
/** Longer than a request takes to arrive. */
const validMs = 60_000;
const keptSeconds = 300;

/** From where the caller of a request sent it, for requests with the same credential. The table stores only the hash of its token. */
const relayedAddressEntity = defineEntity({
  type: 'relayedAddress',
  schema: z.object({
    hash: z.string(),
    authorization: z.string(),
    sourceIp: z.string(),
    /** Unix ms. */
    until: z.int(),
    usedAt: z.int().optional(),
    ttl: z.int(),
  }),
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'RELAYED_ADDRESS' }),
});

interface Relayed {
  authorization: string;
  sourceIp: string | null;
}

/** Makes the headers of a request that the service makes to itself, so that it counts as one from the caller's address. */
export const addressRelay = /* @__PURE__ */ using(
  ['table:write'],
  ({ table, now }: Scope) =>
    async ({ authorization, sourceIp }: Relayed): Promise<Record<string, string>> => {
      if (sourceIp === null) return {};
      const token = generateKey('relay');
      const [hash, at] = [hashKey(token), now()];
      const item = {
        hash,
        authorization: hashKey(authorization),
        sourceIp,
        until: at.getTime() + validMs,
        ttl: unixSeconds(at) + keptSeconds,
      };
      await table.commit([table.writes.insert(relayedAddressEntity, item)]);
      return { [headerName]: token };
    },
);

/** Gives a request that the service made to itself the address of its caller. What others send there says nothing. */
export async function restoreAddress(
  { headers, requestContext }: APIGatewayProxyEvent,
  loadRuntime: () => Runtime,
): Promise<void> {
  const token = headers[headerName];
  if (token === undefined || !isWellFormedKey(token) || !requestContext.identity) return;
  const { table, now } = loadRuntime().scopeOf('');
  const hash = hashKey(token);
  const condition = {
    expression: `${exists.expression} AND #authorization = :own AND #until > :at`,
    values: { own: hashKey(headers.authorization ?? ''), at: now().getTime() },
  };
  // An update, because every Lambda that counts requests may make one.
  const write = table.writes.update(
    relayedAddressEntity,
    { hash },
    { set: { usedAt: now().getTime() } },
    condition,
  );
  const found = await table.updateAndGet(relayedAddressEntity, write).catch(onConditionFailed(undefined));
  if (found) requestContext.identity.sourceIp = found.sourceIp;
}
