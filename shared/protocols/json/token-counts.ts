import type * as z from 'zod';
import { noSpending, type Spending } from '../../adapters/ports/spending.ts';
import type { TokenCounts } from './dispatch-result.ts';

type Counts = z.infer<typeof TokenCounts>;

export const toTokenCounts = (spending: Spending): Counts => ({
  input: spending.inputTokens,
  output: spending.outputTokens,
  cachedInput: spending.cachedInputTokens,
});

export const parseTokenCounts = ({ input, output, cachedInput }: Counts): Spending => ({
  ...noSpending,
  inputTokens: input,
  outputTokens: output,
  cachedInputTokens: cachedInput,
});
