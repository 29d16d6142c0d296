import * as z from 'zod';

/** What a run or a turn used. */
export const TokenCounts = z.object({
  input: z.int(),
  output: z.int(),
  cachedInput: z.int().meta({ description: 'The part of `input` that a cache of the provider served' }),
});
