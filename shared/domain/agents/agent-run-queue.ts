import * as z from 'zod';
import { messageGroup, sendMessage } from '../../platform/aws/queues.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** Asks a worker to run an execution, or to continue it. */
export const AgentRunMessage = z.object({
  tenant: z.string(),
  executionId: z.string(),
  /** How often the run has waited for a place of its tenant. */
  waits: z.int().optional(),
});
export type AgentRunMessage = z.infer<typeof AgentRunMessage>;

export const agentRunQueue = /* @__PURE__ */ using(['queue:agents'], ({ table: { tenant } }: Scope) => ({
  /** The group is the tenant: SQS delivers others first if a tenant has many messages in flight ("fair queues"). */
  send: (
    executionId: string,
    { delaySeconds = 0, waits }: { delaySeconds?: number; waits?: number } = {},
  ): Promise<void> => {
    const message: AgentRunMessage = { tenant, executionId, ...(waits && { waits }) };
    return sendMessage('AGENTS_QUEUE_URL', message, { delaySeconds, group: messageGroup(tenant) });
  },
}));
