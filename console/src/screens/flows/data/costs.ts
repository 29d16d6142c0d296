import { schemas } from 'virtual:step-schemas';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { dollars } from '../../../ui/values/format.ts';
import { resolved } from '../../../ui/values/schema.ts';
import { estimatedTokens } from '../prices/tokens.ts';
import { usePrices } from '../prices/use-prices.ts';
import { promptTexts } from '../steps/prompt-texts.ts';
import { stepSchema } from '../steps/step-schemas.ts';
import { stepGroups } from '../steps/step-types.ts';
import type { Step } from '../steps/steps.ts';
import { useEditing } from './editing.tsx';
import { useLastRun } from './last-run.ts';

const doings: Record<(typeof stepGroups)[number]['id'], string> = {
  ai: stepDataTexts.costsTokens,
  data: stepDataTexts.runs,
  web: stepDataTexts.callsAnotherService,
  records: stepDataTexts.readsOrChangesStoredData,
  send: stepDataTexts.sendsOrStores,
};

/** What a step does outside of its run. */
export function stepEffectText({ type }: Step): string {
  const group = stepGroups.find(({ types }) => type in types)?.id;
  return group ? doings[group] : stepDataTexts.hasEffects;
}

function usesModel({ type }: Step): boolean {
  const config = resolved(stepSchema(type).properties?.config ?? {}, schemas).properties ?? {};
  return type === 'execute-agent' || type === 'flow' || 'model' in config || 'embeddingModel' in config;
}

export interface ExpectedCost {
  /** USD; undefined if it is not known. */
  amount: number | undefined;
  text: string;
}

const toExpectedCost = (amount: number, text: (cost: string) => string): ExpectedCost => ({
  amount,
  text: text(dollars(amount)),
});

/** What running a step is expected to cost: as it did last, else by its texts and the price of its model. */
export function useExpectedCost() {
  const { flowId, kept } = useEditing();
  const lastRun = useLastRun(flowId);
  const priceOf = usePrices();
  return (step: Step): ExpectedCost => {
    if (!usesModel(step)) return { amount: 0, text: '' };
    const before = Number(kept.get(step.id)?.cost ?? 0);
    if (before > 0) return toExpectedCost(before, stepDataTexts.asItDidLast);
    const last = lastRun.get(step.id)?.cost ?? 0;
    if (last > 0) return toExpectedCost(last, stepDataTexts.asInLastRun);
    const price = step.type === 'prompt' ? priceOf(String(step.config?.model ?? '')) : undefined;
    if (!price) return { amount: undefined, text: stepDataTexts.unknownCost };
    const texts = promptTexts(step);
    const tokens = estimatedTokens(texts.system) + estimatedTokens(texts.user);
    return toExpectedCost((tokens * price.input) / 1_000, stepDataTexts.andItsOutput);
  };
}

/** The cost of several steps, in words. */
export function totalText(costs: readonly ExpectedCost[]): string {
  const unknown = costs.filter(({ amount }) => amount === undefined).length;
  const sum = costs.reduce((total, { amount = 0 }) => total + amount, 0);
  if (unknown === costs.length && unknown > 0) return stepDataTexts.costUnknown;
  if (sum === 0 && unknown === 0) return stepDataTexts.noModelCost;
  if (unknown === 0) return stepDataTexts.expectedCost(dollars(sum));
  return stepDataTexts.expectedCostAndUnknown(dollars(sum), unknown);
}
