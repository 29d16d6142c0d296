import { schemas } from 'virtual:step-schemas';
import { dollars } from '../../../ui/values/format.ts';
import { resolved } from '../../../ui/values/schema.ts';
import { estimatedTokens } from '../prices/tokens.ts';
import { usePrices } from '../prices/use-prices.ts';
import { promptTexts } from '../steps/prompt-texts.ts';
import { schemaOf } from '../steps/step-schemas.ts';
import { stepGroups } from '../steps/step-types.ts';
import type { Step } from '../steps/steps.ts';
import { useEditing } from './editing.tsx';
import { useLastRun } from './last-run.ts';

const doings: Record<(typeof stepGroups)[number]['group'], string> = {
  AI: 'costs tokens',
  'Data and logic': 'runs',
  'Web and APIs': 'calls another service',
  'Records and memory': 'reads or changes stored data',
  'Send and store': 'sends or stores',
};

/** What a step does outside of its run. */
export function doingOf({ type }: Step): string {
  const group = stepGroups.find(({ types }) => type in types)?.group;
  return group ? doings[group] : 'has effects';
}

function usesModel({ type }: Step): boolean {
  const config = resolved(schemaOf(type).properties?.config ?? {}, schemas).properties ?? {};
  return type === 'execute-agent' || 'model' in config || 'embeddingModel' in config;
}

export interface ExpectedCost {
  /** USD; undefined if it is not known. */
  amount: number | undefined;
  text: string;
}

const known = (amount: number, text: string): ExpectedCost => ({
  amount,
  text: `about ${dollars(amount)}, ${text}`,
});

/** What running a step is expected to cost: as it did last, else by its texts and the price of its model. */
export function useExpectedCost() {
  const { flowId, kept } = useEditing();
  const lastRun = useLastRun(flowId);
  const priceOf = usePrices();
  return (step: Step): ExpectedCost => {
    if (!usesModel(step)) return { amount: 0, text: '' };
    const before = Number(kept.get(step.id)?.cost ?? 0);
    if (before > 0) return known(before, 'as it did last');
    const last = lastRun.get(step.id)?.cost ?? 0;
    if (last > 0) return known(last, 'as in the last run');
    const price = step.type === 'prompt' ? priceOf(String(step.config?.model ?? '')) : undefined;
    if (!price) return { amount: undefined, text: 'cost unknown' };
    const texts = promptTexts(step);
    const tokens = estimatedTokens(texts.system) + estimatedTokens(texts.user);
    return known((tokens * price.input) / 1_000, 'and its output');
  };
}

/** The cost of several steps, in words. */
export function totalText(costs: readonly ExpectedCost[]): string {
  const unknown = costs.filter(({ amount }) => amount === undefined).length;
  const sum = costs.reduce((total, { amount = 0 }) => total + amount, 0);
  if (unknown === costs.length && unknown > 0) return 'Cost unknown';
  if (sum === 0 && unknown === 0) return 'No model cost';
  return `Expected cost: about ${dollars(sum)}${unknown > 0 ? `, and that of ${unknown} which is unknown` : ''}`;
}
