/**
 * What a step or agent does after a failure or an empty output: fail, continue, or use fallbacks.
 * Fallbacks follow in their order until one succeeds: the same again, another model, the other providers of the model,
 * or a fixed message. Steps without a model have only the first and the last.
 * These are the schemas and what a fallback changes; `execution/engine/retry-step.ts` uses them for steps,
 * `execution/agent-loop/ask-model.ts` for agents. Retries that come before are in `retry-policy.ts`.
 */
import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';

const delay = z
  .int()
  .min(0)
  .max(60_000)
  .optional()
  .meta({ description: 'Milliseconds to wait before the fallback' });

const RetryFallback = z.strictObject({ type: z.literal('retry'), delay });
const MessageFallback = z.strictObject({ type: z.literal('message'), message: z.string(), delay });
const ModelFallback = z.strictObject({
  type: z.literal('model'),
  model: nameUpTo(255),
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: z.int().min(1).optional(),
  delay,
});

const ProviderFallback = z.strictObject({ type: z.literal('provider'), delay }).meta({
  description: 'The same model at the other configured providers, the cheapest first, until one answers',
});

const Fallback = z.discriminatedUnion('type', [
  RetryFallback,
  ModelFallback,
  ProviderFallback,
  MessageFallback,
]);
export type Fallback = z.infer<typeof Fallback>;

/** The error handling of steps that call a model. Fallbacks run in order. */
export const ErrorHandling = z.strictObject({
  onError: z.enum(['fail', 'continue', 'fallback']),
  triggers: z
    .array(z.strictObject({ type: z.enum(['error', 'empty-output']) }))
    .min(1)
    .max(2)
    .optional()
    .meta({ description: 'When to use the fallbacks. Default: on an error' }),
  fallbacks: z.array(Fallback).max(10).optional(),
});
export type ErrorHandling = z.infer<typeof ErrorHandling>;

/** For steps without a model, which have no model fallbacks. */
export const PlainErrorHandling = ErrorHandling.extend({
  fallbacks: z
    .array(z.discriminatedUnion('type', [RetryFallback, MessageFallback]))
    .max(10)
    .optional(),
});

/** The config changes for each attempt of a fallback. @param alternatives To the model of the step. */
export async function fallbackAttempts(
  fallback: Exclude<Fallback, { type: 'message' }>,
  alternatives: () => Promise<readonly string[]>,
): Promise<Record<string, unknown>[]> {
  if (fallback.type === 'provider') return (await alternatives()).map((model) => ({ model }));
  if (fallback.type === 'retry') return [{}];
  const { type: _type, delay: _delay, ...overrides } = fallback;
  return [overrides];
}

export const stepErrorHandling = ({ config }: { config: Record<string, unknown> }) =>
  config.errorHandling as ErrorHandling | undefined;
