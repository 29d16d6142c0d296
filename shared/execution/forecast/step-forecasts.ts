import { StepError } from '../../core/errors/step-error.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import type { PromptConfig } from '../../domain/flows/step-types/prompt.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { getLongestResponse } from '../model-calls/call-cost.ts';
import { type ExpectedCall, estimateCall, mean } from './expected-call.ts';
import { type History, type PastResult, resultsMin } from './history.ts';
import type { ForecastModels } from './models.ts';
import { boundCost, estimatePromptTokens, type HighestCost, type PromptRequest } from './prompt-call.ts';

type Expected = Omit<ExpectedCall, 'basis'> & { basis: 'history' | 'bounds' | 'none' };

/** What a step costs on one record. */
export interface ForecastStep {
  stepId: string;
  isReused: boolean;
  /** USD. */
  saved: number;
  /** Undefined if it is not expected to run. */
  expected: Expected | undefined;
  max: HighestCost;
}

export interface StepForecasts {
  /** @param added What unknown outputs add to its input; null if nothing limits that */
  forecastStep: (
    step: FlowStep,
    request: PromptRequest | undefined,
    added: number | null,
  ) => Promise<ForecastStep>;
}

export const unlimitedCost: HighestCost = { calls: 1, cost: null, response: null };
const noCall = { input: 0, output: 0, spread: 0 };

export function openStepForecasts(
  models: ForecastModels,
  history: History,
  { maxRetries }: { maxRetries: number },
): StepForecasts {
  async function prompt(step: FlowStep, request: PromptRequest | undefined, added: number | null) {
    const config = step.config as unknown as PromptConfig;
    const max = await boundCost(models, { config, request, added, maxRetries });
    if (!request) return { expected: undefined, max };
    const limits = await models.limits(request.model);
    const estimate = estimatePromptTokens(request);
    const promptEstimate =
      estimatePromptTokens({
        ...request,
        system: [],
        messages: [{ role: 'user', content: request.resolvedPrompt }],
      }) - 10;
    const longest = getLongestResponse(
      { inputTokens: estimate, maxTokens: request.settings.maxTokens },
      limits,
    );
    const asked = { estimate, promptEstimate, longest, model: await models.modelUsed(request.model) };
    return { expected: estimateCall(asked, limits, history.get(step.id) ?? []), max };
  }

  return {
    async forecastStep(step, request, added) {
      const facts = { stepId: step.id, isReused: false, saved: 0 };
      const past = history.get(step.id) ?? [];
      if (step.type !== 'prompt') return { ...facts, ...other(step, past, maxRetries) };
      try {
        return { ...facts, ...(await prompt(step, request, added)) };
      } catch (error) {
        if (!(error instanceof StepError)) throw error;
        const expected = { ...noCall, cost: null, seconds: 0, basis: 'none' as const };
        return { ...facts, expected, max: { ...unlimitedCost, note: error.message } };
      }
    },
  };
}

/** Steps that call models in ways of their own, such as agents, are known by their history alone. */
function other(
  step: FlowStep,
  past: readonly PastResult[],
  maxRetries: number,
): Pick<ForecastStep, 'expected' | 'max'> {
  const calls = maxRetries + 1;
  const seconds = mean(past.map(({ durationMs }) => durationMs)) / 1_000;
  if (!getStepType(step.type).callsModels) {
    const expected = { ...noCall, cost: 0, seconds, basis: 'none' as const };
    return { expected, max: { calls, cost: 0, response: null } };
  }
  const note = `Nothing limits what the step "${step.name}" costs`;
  const max = { calls, cost: null, response: null, note };
  const paid = past.flatMap(({ cost }) => cost ?? []);
  if (paid.length < resultsMin) {
    return { expected: { ...noCall, cost: null, seconds, basis: 'none' }, max };
  }
  const [input, output] = [
    mean(past.map((one) => one.inputTokens)),
    mean(past.map((one) => one.outputTokens)),
  ];
  const cost = mean(paid);
  const spread = Math.sqrt(mean(paid.map((each) => (each - cost) ** 2)));
  return { expected: { input, output, cost, spread, seconds, basis: 'history' }, max };
}
