import { count, dollars, duration } from '../ui/values/format.ts';

interface Taken {
  durationMs?: number | undefined;
  tokens?: { input: number; output: number } | number | undefined;
  /** Null if a model call has no known price. */
  cost?: string | null | undefined;
}

/** What a run, a turn or a step took, in a line. */
export function factsOf({ durationMs, tokens, cost }: Taken): string {
  const used =
    typeof tokens === 'object'
      ? tokens.input + tokens.output > 0
        ? `${count(tokens.input)} tokens in, ${count(tokens.output)} out`
        : ''
      : tokens
        ? `${count(tokens)} tokens`
        : '';
  const price = used && cost === null ? 'no known price' : Number(cost) ? dollars(cost) : '';
  return [duration(durationMs), used, price].filter(Boolean).join(' · ');
}
