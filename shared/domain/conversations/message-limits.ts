/**
 * Limits how many emails and text messages a tenant sends in an hour in the name of the operator, and how many of them to
 * strangers.
 *
 * One conditional write counts all addresses of a message before it is sent, or refuses them all; nothing is given back if the
 * sending fails. Who has answered a message is no stranger for a time. Addresses are stored as hashes. `limitMessages` wraps
 * the port by which steps send; approvals count theirs in `run-waits/wait-store.ts`.
 */

import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { MessagesPort } from '../../adapters/ports/messages-port.ts';
import { foldAddress } from '../../core/email-address.ts';
import { requireEnv } from '../../core/environment.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';

const partition = tenantPartition('MESSAGES');
const keptSeconds = 2 * 3_600;
/** Somebody who has not answered for so long is a stranger again. */
const knownSeconds = 365 * 86_400;

/** What a tenant has sent in an hour. */
const sentMessagesEntity = defineEntity({
  type: 'sentMessages',
  schema: z.object({ hour: z.string(), all: z.int(), strangers: z.int(), ttl: z.int() }),
  key: ({ hour }: { hour: string }) => ({ PK: partition, SK: `HOUR#${hour}` }),
});

/** Somebody who has answered a message of the tenant. */
const knownAddressEntity = defineEntity({
  type: 'knownAddress',
  schema: z.object({ hash: z.string(), ttl: z.int() }),
  key: ({ hash }: { hash: string }) => ({ PK: partition, SK: `ADDRESS#${hash}` }),
});

const hashAddress = (address: string) => createHash('sha256').update(foldAddress(address)).digest('hex');

/** How many emails and text messages a tenant sends in an hour, in the name of the operator. */
export const messageLimits = /* @__PURE__ */ using(
  ['table:write', 'message-limits'],
  ({ table, now }: Scope) => {
    async function countStrangers(addresses: readonly string[]): Promise<number> {
      const keys = addresses.map((address) => knownAddressEntity.key({ hash: hashAddress(address) }));
      const found = await table.getMany(keys);
      return found.filter((item) => item === undefined).length;
    }

    return {
      /** Counts a message to each of these, before it is sent. Costs a read of each and a write. @throws StepError over a limit */
      async take(addresses: readonly string[]): Promise<void> {
        const different = [...new Set(addresses.map(foldAddress))];
        if (different.length === 0) return;
        const max = {
          all: Number(requireEnv('TENANT_MESSAGES_PER_HOUR')),
          strangers: Number(requireEnv('TENANT_STRANGERS_PER_HOUR')),
        };
        const [all, strangers] = [different.length, await countStrangers(different)];
        const left = { all: max.all - all, strangers: max.strangers - strangers };
        const hour = now().toISOString().slice(0, 13);
        const write = table.writes.update(
          sentMessagesEntity,
          { hour },
          { add: { all, strangers }, set: { ttl: unixSeconds(now()) + keptSeconds } },
          {
            expression:
              '(attribute_not_exists(#all) OR #all <= :allMax) AND (attribute_not_exists(#strangers) OR #strangers <= :strangersMax)',
            values: { allMax: left.all, strangersMax: left.strangers },
          },
        );
        const fits = left.all >= 0 && left.strangers >= 0;
        const isTaken = fits && (await table.commit([write]).then(() => true, onConditionFailed(false)));
        if (!isTaken) throw createLimitError(max);
      },

      /** Notes that somebody has answered, so that he is no stranger. */
      async know(address: string): Promise<void> {
        const item = { hash: hashAddress(address), ttl: unixSeconds(now()) + knownSeconds };
        await table.commit([table.writes.put(knownAddressEntity, item)]);
      },
    };
  },
);

/** Nothing was sent, so that another attempt in the next hour is no second one. */
const createLimitError = ({ all, strangers }: { all: number; strangers: number }) =>
  new StepError(
    `The limit for messages is reached: a tenant sends ${all} emails and text messages an hour, ${strangers} of them to addresses that have never answered one. Nothing was sent. Send fewer, or later, or let the operator raise TENANT_MESSAGES_PER_HOUR or TENANT_STRANGERS_PER_HOUR`,
    { retryable: true, kind: 'rate_limit', undone: true },
  );

/** Messages that keep to the limits of their tenant. */
export function limitMessages(
  { take }: Pick<ReturnType<typeof messageLimits>, 'take'>,
  port: MessagesPort,
): MessagesPort {
  return {
    ...port,
    async email(message) {
      await take(message.to);
      return port.email(message);
    },
    async sms(message) {
      await take([message.to]);
      return port.sms(message);
    },
  };
}
