import { createHash } from 'node:crypto';
import * as z from 'zod';
import { send } from '../../platform/aws/queues.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** Asks a worker to run an execution, or to continue it. */
export const AgentRunMessage = z.object({ tenant: z.string(), executionId: z.string() });
export type AgentRunMessage = z.infer<typeof AgentRunMessage>;

/** A name of a tenant may be longer than the 128 characters of a group. */
const groupOf = (tenant: string) => createHash('sha256').update(tenant).digest('hex');

export const agentRunQueue = /* @__PURE__ */ using(['queue:agents'], ({ table: { tenant } }: Scope) => ({
  /**
   * The group is the tenant: SQS then delivers the messages of others before those of a tenant that has many in flight
   * ("fair queues").
   */
  send: (executionId: string): Promise<void> =>
    send('AGENTS_QUEUE_URL', { tenant, executionId } satisfies AgentRunMessage, { group: groupOf(tenant) }),
}));
