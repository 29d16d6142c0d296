import { editorTexts } from '../../../texts/flow-editor.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { dollars, durationText } from '../../../ui/values/format.ts';
import type { TokenPrice } from '../prices/prices.ts';
import type { TrialState } from './use-trials.ts';

/** What the runs of a model took, in a line: on average, and together. */
export function trialTotals(states: readonly TrialState[], stepId: string): string {
  const ended = states.flatMap(
    ({ run }) => run.steps.find(({ id, status }) => id === stepId && status !== 'running') ?? [],
  );
  if (ended.length === 0) return editorTexts.endedOf(0, states.length);
  const sum = (of: (step: (typeof ended)[number]) => number) =>
    ended.reduce((total, step) => total + of(step), 0);
  const mean = durationText(sum(({ durationMs = 0 }) => durationMs) / ended.length);
  const failed = ended.filter(({ status }) => status === 'failed').length;
  const isPriced = ended.every(({ cost }) => cost !== null);
  return [
    states.length > 1 && editorTexts.endedOf(ended.length, states.length),
    failed > 0 && editorTexts.failedCount(failed),
    ended.length > 1 ? editorTexts.onAverage(mean) : mean,
    sharedTexts.tokenCount(sum(({ tokens = 0 }) => tokens)),
    isPriced ? dollars(sum(({ cost }) => Number(cost ?? 0))) : sharedTexts.noKnownPrice,
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
  }: { records: number; inputTokens: number; priceOf: (model: string) => TokenPrice | undefined },
): string {
  const runs = models.length * records;
  const prices = models.map(priceOf);
  const unknown = models.filter((_model, at) => !prices[at]);
  const input = prices.reduce((sum, price) => sum + ((price?.input ?? 0) * inputTokens * records) / 1_000, 0);
  const output = prices.flatMap((price) => (price ? [dollars(price.output * 1_000)] : []));
  const outputCost = output.length > 0 ? editorTexts.expectedCost(dollars(input), output) : '';
  const rest = unknown.length > 0 ? editorTexts.noPriceFor(unknown) : '';
  return [runs > 1 && editorTexts.runs(runs), outputCost, rest].filter(Boolean).join('. ');
}
