import { StepError } from '../../core/errors/step-error.ts';
import { callsModels, type Finding, isHeldBy, unboundedMap } from '../../domain/flows/analysis/finding.ts';
import { type StepNode, type UncheckedStep, walkStepNodes } from '../../domain/flows/checking/step-nodes.ts';
import { mapItemsMax } from '../../domain/flows/step-types/map.ts';
import { modelNames } from '../../domain/model-configs/model-names.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { estimateTokens } from '../agent-loop/compaction.ts';
import { getLongestResponse } from '../model-calls/call-cost.ts';
import { type ForecastModels, openModels } from './prompt-call.ts';
import { estimateCall } from './step-forecasts.ts';

/** Adds to the warnings of lists without a bound what their items cost, as far as the prices are known. */
export const mapPricer = /* @__PURE__ */ using(
  [modelNames],
  (scope: Scope) =>
    async (warnings: readonly Finding[], steps: unknown, member: string): Promise<Finding[]> => {
      if (!warnings.some(({ code }) => code === unboundedMap)) return [...warnings];
      const visits = [...walkStepNodes(steps, { path: [member] })];
      const models = openModels(modelNames(scope));
      return Promise.all(
        warnings.map(async (warning) => {
          const map = warning.code === unboundedMap && visits.find((visit) => isAt(visit, warning));
          const cost = map ? await priceItem(models, map, visits) : null;
          if (cost === null) return warning;
          const price = `each item costs about ${formatDollars(cost)}, ${mapItemsMax.toLocaleString('en')} items about ${formatDollars(cost * mapItemsMax)}`;
          return { ...warning, message: `${warning.message}: ${price}` };
        }),
      );
    },
);

const isAt = ({ path }: StepNode, { path: found }: Finding) =>
  [...path, 'config', 'items'].join('.') === found;

/** In USD, once through the steps; null if some price is not known, or if steps inside repeat the calls. */
async function priceItem(
  models: ForecastModels,
  map: StepNode,
  visits: readonly StepNode[],
): Promise<number | null> {
  const paid = visits.filter(
    (inside) => inside.step.enabled && callsModels(inside.step.type) && isHeldBy(inside, map),
  );
  const repeats = ({ lists }: StepNode) =>
    lists
      .slice(map.lists.length + 1)
      .some(({ holder }) => ['map', 'loop', 'reduce'].includes(holder.step.type));
  if (paid.some((inside) => inside.step.type !== 'prompt' || repeats(inside))) return null;
  const costs = await Promise.all(paid.map(({ step }) => pricePrompt(models, step)));
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

/** With the length of the templates for that of the prompt: what they insert is not known. */
async function pricePrompt(models: ForecastModels, { config }: UncheckedStep): Promise<number | null> {
  const { model, systemPrompt, userPrompt = config.text, maxTokens } = config;
  if (typeof model !== 'string') return null;
  try {
    const limits = await models.limits(model);
    const estimate = estimateTokens([
      { role: 'system', content: String(systemPrompt ?? '') },
      { role: 'user', content: String(userPrompt ?? '') },
    ]);
    const asked = { inputTokens: estimate, ...(typeof maxTokens === 'number' && { maxTokens }) };
    const longest = getLongestResponse(asked, limits);
    const call = { estimate, promptEstimate: estimate, longest, model: await models.modelUsed(model) };
    return estimateCall(call, limits, []).cost;
  } catch (error) {
    if (error instanceof StepError) return null;
    throw error;
  }
}

/** With two significant digits below a dollar. */
const formatDollars = (amount: number) =>
  `$${amount >= 1 ? amount.toFixed(2) : Number(amount.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 12 })}`;
