import * as z from 'zod';
import { log } from '../../core/log.ts';
import type { ModelUsage } from '../ports/model-port.ts';

/** Above any model's limit; sums over millions of calls stay exact integers. */
const tokensMax = 1_000_000_000;

export const TokenCount = z.int().min(0).max(tokensMax);

const Reported = z
  .object({
    inputTokens: TokenCount,
    outputTokens: TokenCount,
    cacheReadTokens: TokenCount.optional(),
    cacheWriteTokens: TokenCount.optional(),
    reasoningTokens: TokenCount.optional(),
  })
  .refine(
    ({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }) =>
      cacheReadTokens + cacheWriteTokens <= inputTokens,
    'More cached tokens than input tokens',
  );

type Said = { [Name in keyof ModelUsage]?: number | undefined };

/** Undefined if none or impossible. Such a response still counts, since it was paid for. */
export function usageFrom(said: Said, modelUsed: string): ModelUsage | undefined {
  const { inputTokens, outputTokens } = said;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const { data, error } = Reported.safeParse(said);
  if (error)
    log.warn('A model reported an impossible usage', { modelUsed, said, error: z.prettifyError(error) });
  return data;
}
