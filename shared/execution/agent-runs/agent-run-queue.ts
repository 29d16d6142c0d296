import * as z from 'zod';
import { send } from '../../platform/aws/queues.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** Asks a worker to run an execution, or to continue it. */
export const AgentRunMessage = z.object({ tenant: z.string(), executionId: z.string() });
export type AgentRunMessage = z.infer<typeof AgentRunMessage>;

export const agentRunQueue = /* @__PURE__ */ using(['queue:agents'], ({ table: { tenant } }: Scope) => ({
  /** SQS shares its consumers fairly between the groups of a queue: no tenant waits for another's runs. */
  send: (executionId: string): Promise<void> =>
    send('AGENTS_QUEUE_URL', { tenant, executionId } satisfies AgentRunMessage, { group: tenant }),
}));
