import type { ModelLimits } from '../../adapters/ports/model-port.ts';
import { type PastResult, resultsMin } from './history.ts';

export interface ExpectedCall {
  input: number;
  output: number;
  /** USD; null without a price. */
  cost: number | null;
  /** The standard deviation of the cost. */
  spread: number;
  seconds: number;
  basis: 'history' | 'bounds';
}

export interface AskedCall {
  /** Estimated tokens of the whole request, and of the prompt in it. */
  estimate: number;
  promptEstimate: number;
  /** The longest response, if one is known. */
  longest: number | undefined;
  /** `<provider>/<modelId>` */
  model: string;
}

/** Of a response without a known limit. */
const responseTokensDefault = 512;
/** Without a history. */
const tokensPerSecond = 50;
const secondsBefore = 1;
const perMillion = 1e-6;

/** What a call costs on average: like earlier ones of its step and model, else between nothing and its limits. */
export function estimateCall(
  asked: AskedCall,
  limits: ModelLimits,
  past: readonly PastResult[],
): ExpectedCall {
  const same = past.filter(({ model }) => model === asked.model);
  const price = limits.prices?.find(({ above }) => above === 0);
  const priceTokens = (input: number, output: number) =>
    price ? (input * Number(price.input) + output * Number(price.output)) * perMillion : null;
  const { estimate, promptEstimate, longest = 2 * responseTokensDefault } = asked;
  if (same.length < resultsMin) {
    const output = longest / 2;
    const spread = priceTokens(0, longest) ?? 0;
    const seconds = secondsBefore + output / tokensPerSecond;
    const cost = priceTokens(estimate, output);
    // As a uniform distribution has it.
    return { input: estimate, output, cost, spread: spread / Math.sqrt(12), seconds, basis: 'bounds' };
  }
  const overhead = estimate - promptEstimate;
  const sizes = same.map((result) => result.promptEstimate + overhead);
  const input =
    estimate *
    ratio(
      sum(same, 'inputTokens'),
      sum(
        sizes.map((size) => ({ size })),
        'size',
      ),
    );
  const outputs = same.map(({ outputTokens }) => outputTokens);
  const output = Math.max(0, Math.min(fitLine(sizes, outputs, estimate), asked.longest ?? Infinity));
  const paid = same.filter(({ cost }) => cost !== null) as { cost: number }[] & PastResult[];
  const asListed = priceTokens(sum(paid, 'inputTokens'), sum(paid, 'outputTokens')) ?? 0;
  // The list has the highest rates; what caches saved until now, they go on to save.
  const discount =
    paid.length > 0 && asListed > 0 ? Math.min(1, sum(paid as { cost: number }[], 'cost') / asListed) : 1;
  const cost = priceTokens(input, output);
  return {
    input,
    output,
    cost: cost === null ? null : cost * discount,
    spread: computeDeviation(outputs) * (priceTokens(0, 1) ?? 0) * discount,
    seconds: sum(same, 'durationMs') / same.length / 1_000,
    basis: 'history',
  };
}

const ratio = (one: number, other: number) => (other > 0 ? one / other : 1);

/** On the line of least squares, as far as the sizes differ. */
function fitLine(sizes: readonly number[], values: readonly number[], at: number): number {
  const [meanSize, meanValue] = [mean(sizes), mean(values)];
  const variance = mean(sizes.map((size) => (size - meanSize) ** 2));
  if (variance < 1) return meanValue;
  const shared = mean(sizes.map((size, index) => (size - meanSize) * ((values[index] ?? 0) - meanValue)));
  return meanValue + (shared / variance) * (at - meanSize);
}

export const mean = (values: readonly number[]) =>
  values.length > 0 ? values.reduce((total, value) => total + value, 0) / values.length : 0;

export const computeDeviation = (values: readonly number[]) => {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
};

const sum = <Name extends string>(items: readonly { [N in Name]: number }[], name: Name): number =>
  items.reduce((total, item) => total + item[name], 0);
