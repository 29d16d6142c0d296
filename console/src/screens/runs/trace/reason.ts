import type { RunDetails } from '../data/run-details.ts';
import type { Span } from './span-tree.ts';

/**
 * Why a span failed. What a model or a tool said is on the span that it made fail, which may be one around.
 * @param chain The span and those around it, the nearest first.
 */
export function spanFailureReason(
  chain: readonly Pick<Span, 'status' | 'attributes'>[],
  { error }: Pick<RunDetails, 'error'>,
): string | undefined {
  for (const { status, attributes } of chain) {
    if (status !== 'error') return undefined;
    const message = attributes['error.message'];
    if (typeof message === 'string') return message;
  }
  return error?.message;
}
