import { count, dollars, duration } from '../../../ui/values/format.ts';
import type { Price } from '../prices/prices.ts';
import type { TrialState } from './use-trials.ts';

/** What the runs of a model took, in a line: on average, and together. */
export function trialTotals(states: readonly TrialState[], stepId: string): string {
  const ended = states.flatMap(
    ({ run }) => run.steps.find(({ id, status }) => id === stepId && status !== 'running') ?? [],
  );
  if (ended.length === 0) return `0 of ${states.length}`;
  const sum = (of: (step: (typeof ended)[number]) => number) =>
    ended.reduce((total, step) => total + of(step), 0);
  const failed = ended.filter(({ status }) => status === 'failed').length;
  const isPriced = ended.every(({ cost }) => cost !== null);
  return [
    states.length > 1 && `${ended.length} of ${states.length}`,
    failed > 0 && `${failed} failed`,
    `${duration(sum(({ durationMs = 0 }) => durationMs) / ended.length)}${ended.length > 1 ? ' on average' : ''}`,
    `${count(sum(({ tokens = 0 }) => tokens))} tokens`,
    isPriced ? dollars(sum(({ cost }) => Number(cost ?? 0))) : 'no known price',
  ]
    .filter(Boolean)
    .join(' · ');
}

/** What tests will cost, as far as that is known before: the length of the output is not. */
export function expectedText(
  models: readonly string[],
  {
    records,
    inputTokens,
    priceOf,
  }: { records: number; inputTokens: number; priceOf: (model: string) => Price | undefined },
): string {
  const runs = models.length * records;
  const prices = models.map(priceOf);
  const unknown = models.filter((_model, at) => !prices[at]);
  const input = prices.reduce((sum, price) => sum + ((price?.input ?? 0) * inputTokens * records) / 1_000, 0);
  const output = prices.flatMap((price) => (price ? [`${dollars(price.output * 1_000)}`] : []));
  const known =
    output.length > 0
      ? `About ${dollars(input)} for the input, and ${output.join(' or ')} per million tokens of output`
      : '';
  const rest = unknown.length > 0 ? `Cost unknown: no price for ${unknown.join(' and ')}` : '';
  return [runs > 1 && `${runs} runs`, known, rest].filter(Boolean).join('. ');
}
