import * as z from 'zod';
import { log } from '../../core/log.ts';
import type { ModelUsage } from '../model-port.ts';

/** More than any model takes or writes in one call; the sums over millions of calls stay exact integers. */
const tokensMax = 1_000_000_000;

/** How many tokens a call used, as a provider may say it. */
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

/** The tokens of a call. Nothing where the provider reports none, or what cannot be: that answer was paid all the same. */
export function usageFrom(said: Said, modelUsed: string): ModelUsage | undefined {
  const { inputTokens, outputTokens } = said;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const { data, error } = Reported.safeParse(said);
  if (error)
    log.warn('A model reported an impossible usage', { modelUsed, said, error: z.prettifyError(error) });
  return data;
}
