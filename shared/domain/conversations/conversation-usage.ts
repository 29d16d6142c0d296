import * as z from 'zod';
import {
  addSpending,
  formatCost,
  noSpending,
  parseCost,
  type Spending,
} from '../../adapters/ports/spending.ts';

/** What the answers of a conversation used, all together. */
export const ConversationUsage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** USD as decimal text; null if a model call has no known price. */
  totalCost: z.string().nullable(),
});
type ConversationUsage = z.infer<typeof ConversationUsage>;

/** @param run What a run of it took. */
export function addUsage(before: ConversationUsage | undefined, run: Spending): ConversationUsage {
  const { totalCost = '0', ...tokens } = before ?? {};
  const sum = addSpending({ ...noSpending, ...tokens, ...parseCost(totalCost) }, run);
  return { inputTokens: sum.inputTokens, outputTokens: sum.outputTokens, totalCost: formatCost(sum) };
}
