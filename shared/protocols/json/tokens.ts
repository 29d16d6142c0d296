import * as z from 'zod';
import { noSpending, type Spending } from '../../adapters/ports/spending.ts';

/** What a run or a turn used. */
export const TokenCounts = z.object({
  input: z.int(),
  output: z.int(),
  cachedInput: z.int().meta({ description: 'The part of `input` that a cache of the provider served' }),
});

type TokenCounts = z.infer<typeof TokenCounts>;

export const toTokenCounts = (spending: Spending): TokenCounts => ({
  input: spending.inputTokens,
  output: spending.outputTokens,
  cachedInput: spending.cachedInputTokens,
});

export const parseTokenCounts = ({ input, output, cachedInput }: TokenCounts): Spending => ({
  ...noSpending,
  inputTokens: input,
  outputTokens: output,
  cachedInputTokens: cachedInput,
});
