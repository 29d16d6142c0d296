import type { LanguageModelV4FinishReason } from '@ai-sdk/provider';
import * as z from 'zod';

const Incomplete = z.object({ incomplete_details: z.object({ reason: z.string() }) });

const reasons: Record<string, LanguageModelV4FinishReason['unified']> = {
  max_output_tokens: 'length',
  content_filter: 'content-filter',
};

/** The reason in the body of an incomplete response, which xAI's SDK overlooks without streaming. */
export function resolveFinishReason(
  reason: LanguageModelV4FinishReason,
  body: unknown,
): LanguageModelV4FinishReason {
  if (reason.raw !== 'incomplete') return reason;
  const raw = Incomplete.safeParse(body).data?.incomplete_details.reason;
  return raw ? { unified: reasons[raw] ?? 'other', raw } : reason;
}

/** Names of servers for the end that the model chose, where their API says `stop`. */
const ends = new Set([
  'stop',
  'eos',
  'eos_token',
  'end',
  'end_turn',
  'stop_sequence',
  'complete',
  'completed',
]);

/** What an SDK makes of a reason that it does not know, or takes for an end. */
export function plainFinishReason({ unified, raw }: LanguageModelV4FinishReason): typeof unified {
  // Claude would go on if it were asked to.
  if (raw === 'pause_turn') return 'other';
  return unified === 'other' && ends.has(raw?.toLowerCase() ?? '') ? 'stop' : unified;
}

/** Whether a stream ended before its provider said why: the SDKs report the end of such a stream like any other. */
export const endedEarly = ({ unified, raw }: LanguageModelV4FinishReason): boolean =>
  unified === 'interrupted' || (unified === 'other' && raw === undefined);
