import { createFiller } from '../../adapters/templates/filler.ts';
import { StepError } from '../../core/errors/step-error.ts';
import type { Variables } from '../../core/variables/variables.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import { mapItemsMax } from '../../domain/flows/step-types/map.ts';
import { walkSteps } from '../../domain/flows/steps/held-lists.ts';
import { findStepAt, holderPath, listsAround, type RunPath } from '../../domain/flows/steps/run-path.ts';
import { type FlowStep, outputVariableName } from '../../domain/flows/steps/step.ts';
import { loadStepRunner } from '../steps/index.ts';
import type { HighestCost, PromptRequest } from './prompt-call.ts';
import { type ForecastStep, type StepForecasts, unlimitedCost } from './step-forecasts.ts';
import { countAddedTokens, type UnknownTexts } from './unknown-texts.ts';
import type { Walk } from './walk-record.ts';

/** The steps that may run too, if an unknown output decides otherwise than its guess. They count for the limit alone. */
export async function forecastOtherSteps(
  { steps, ports, signal, forecasts }: Pick<Walk, 'steps' | 'ports' | 'signal' | 'forecasts'>,
  {
    acted,
    variables,
    unknown,
    repeated,
  }: {
    acted: ReadonlyMap<string, number>;
    variables: Variables;
    unknown: UnknownTexts;
    repeated: ReadonlySet<string>;
  },
): Promise<ForecastStep[]> {
  const others: ForecastStep[] = [];
  for (const { step, path } of walkSteps(steps)) {
    const runner = await loadStepRunner(step.type);
    const actedTimes = acted.get(path) ?? 0;
    const isRepeated = [...repeated].some((around) => path.startsWith(`${around}.`));
    const times = mostTimes(steps, path) - actedTimes;
    const isKnown = times <= 0 || (actedTimes > 0 && !isRepeated);
    if (isKnown || !step.enabled || !('plan' in runner)) continue;
    const planning = { config: step.config, variables, ports, signal, since: ports.now() };
    const plan = await Promise.resolve(
      runner.plan({ ...planning, ...createFiller(variables, ports.sandbox) }),
    ).catch((error: unknown) => {
      if (error instanceof StepError) return undefined;
      throw error;
    });
    const forecast = await forecasts.forecastStep(
      step,
      plan?.request as PromptRequest | undefined,
      countAddedTokens(step, unknown),
    );
    others.push({ ...forecast, expected: undefined, max: severalTimes(forecast.max, times) });
    const variable = outputVariableName(step);
    if (variable) unknown.set(variable, forecast.max.response);
  }
  return others;
}

/** A record that is not walked, of which nothing but the limits of the models is known. */
export async function forecastLimits(
  steps: readonly FlowStep[],
  forecasts: StepForecasts,
): Promise<ForecastStep[]> {
  const acting: ForecastStep[] = [];
  for (const { step, path } of walkSteps(steps)) {
    if (!step.enabled || !getStepType(step.type).effects) continue;
    const { max = unlimitedCost } = await forecasts.forecastStep(step, undefined, null);
    const most = severalTimes(max, mostTimes(steps, path));
    acting.push({ stepId: step.id, isReused: false, saved: 0, expected: undefined, max: most });
  }
  return acting;
}

/** How often a step may run at most. @param path In the definition */
const mostTimes = (steps: readonly FlowStep[], path: RunPath): number =>
  listsAround(path)
    .map((list) => findStepAt(steps, holderPath(list)))
    .reduce((times, holder) => times * getTimes(holder), 1);

const getTimes = (holder: FlowStep | undefined): number =>
  holder?.type === 'map' ? mapItemsMax : holder?.type === 'loop' ? Number(holder.config.maxIterations) : 1;

const severalTimes = ({ calls, cost, ...highest }: HighestCost, times: number): HighestCost => ({
  ...highest,
  calls: calls * times,
  cost: cost === null ? null : cost * times,
});
