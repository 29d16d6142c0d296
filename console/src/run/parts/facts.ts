import { runViewTexts } from '../../texts/run-view.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { dollars, durationText } from '../../ui/values/format.ts';

interface Taken {
  durationMs?: number | undefined;
  tokens?: { input: number; output: number } | number | undefined;
  /** Null if a model call has no known price. */
  cost?: string | null | undefined;
}

/** What a run, a turn or a step took, in a line. */
export function usageSummary({ durationMs, tokens, cost }: Taken): string {
  const used =
    typeof tokens === 'object'
      ? tokens.input + tokens.output > 0
        ? runViewTexts.tokensInAndOut(tokens.input, tokens.output)
        : ''
      : tokens
        ? sharedTexts.tokenCount(tokens)
        : '';
  const price = used && cost === null ? sharedTexts.noKnownPrice : Number(cost) ? dollars(cost) : '';
  return [durationText(durationMs), used, price].filter(Boolean).join(' · ');
}
