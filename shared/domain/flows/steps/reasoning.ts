import * as z from 'zod';
import type { ModelReasoning } from '../../../adapters/ports/model-port.ts';

export const Reasoning = z
  .union([
    z.boolean(),
    z.strictObject({
      enabled: z.boolean(),
      reasoningEffort: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
      reasoningSummary: z.enum(['auto', 'detailed']).optional(),
      budgetTokens: z.int().min(1_000).max(100_000).optional(),
      thinkingBudget: z
        .int()
        .min(1_024)
        .max(65_536)
        .optional()
        .meta({ description: 'An alias of budgetTokens' }),
      includeThoughts: z
        .boolean()
        .optional()
        .meta({ description: 'true: requests a summary, as reasoningSummary auto does' }),
    }),
  ])
  .meta({
    description:
      'true: the effort medium. false: none. Providers ignore what their models do not support. Summaries are streamed as reasoning events',
  });

export function toModelReasoning(config: z.infer<typeof Reasoning> | undefined): ModelReasoning | undefined {
  if (config === undefined) return undefined;
  const settings = typeof config === 'boolean' ? { enabled: config } : config;
  if (!settings.enabled) return { effort: 'none' };
  const { reasoningEffort, reasoningSummary, budgetTokens, thinkingBudget, includeThoughts } = settings;
  const budget = budgetTokens ?? thinkingBudget;
  return {
    effort: reasoningEffort ?? (budget === undefined ? 'medium' : undefined),
    budgetTokens: budget,
    summary: reasoningSummary ?? (includeThoughts ? 'auto' : undefined),
  };
}
