import Big from 'big.js';
import * as z from 'zod';

/** What the answers of a conversation used, all together. */
export const ConversationUsage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** USD as decimal text; null if a model call has no known price. */
  totalCost: z.string().nullable(),
});
export type ConversationUsage = z.infer<typeof ConversationUsage>;

export const addUsage = (before: ConversationUsage | undefined, run: ConversationUsage): ConversationUsage =>
  before
    ? {
        inputTokens: before.inputTokens + run.inputTokens,
        outputTokens: before.outputTokens + run.outputTokens,
        totalCost: addCosts(before.totalCost, run.totalCost),
      }
    : run;

const addCosts = (one: string | null, other: string | null) =>
  one === null || other === null ? null : new Big(one).plus(other).toFixed();
