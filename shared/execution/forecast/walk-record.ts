import type { Ports } from '../../adapters/ports/ports.ts';
import { toTracedRun } from '../../core/tracing/active-span.ts';
import type { Variables } from '../../core/variables/variables.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import { definitionPath, isOwnScope, listsAround, type RunPath } from '../../domain/flows/steps/run-path.ts';
import { type FlowStep, outputVariableName } from '../../domain/flows/steps/step.ts';
import {
  type EarlierOutcome,
  type EarlierResults,
  type EngineRunEvent,
  type Rehearsal,
  runFlow,
  type StepResult,
} from '../engine/engine.ts';
import type { StepOutcome } from '../step-support/step-runner.ts';
import type { Guesses } from './guesses.ts';
import { forecastOtherSteps } from './other-steps.ts';
import type { PromptRequest } from './prompt-call.ts';
import type { ForecastStep, StepForecasts } from './step-forecasts.ts';
import {
  countAddedTokens,
  givesUnknown,
  isUndecided,
  openInputs,
  openInside,
  type UnknownTexts,
} from './unknown-texts.ts';

export interface Walk {
  runId: string;
  steps: readonly FlowStep[];
  variables: Variables;
  ports: Ports;
  recordId: string;
  earlier: EarlierResults | undefined;
  forecasts: StepForecasts;
  guesses: Guesses;
  signal: AbortSignal;
  /** Gets the step that ends the run on the record, if that follows from no guess. */
  onFailure: (step: FlowStep, error: string, recordId: string) => void;
}

/** What a run on one record would ask for. Where an output is not known, it goes on with a guess. */
export async function walkRecord(walk: Walk): Promise<ForecastStep[]> {
  const { steps, ports, signal, forecasts, guesses, recordId } = walk;
  const unknown: UnknownTexts = new Map();
  const found: ForecastStep[] = [];
  const variables = { ...walk.variables };
  let isUncertain = false;
  /** How often the steps at each place act. */
  const acted = new Map<string, number>();
  /** The places of maps and loops that run an unknown number of times. */
  const repeated = new Set<string>();
  const note = (step: FlowStep, bound: number | null) => {
    const variable = outputVariableName(step);
    if (!variable) return;
    const before = unknown.get(variable) ?? (unknown.has(variable) ? null : 0);
    // In each item of a map, the same step gives another value.
    unknown.set(variable, bound === null || before === null ? null : Math.max(before, bound));
  };
  const rehearsal: Rehearsal = {
    insteadOf: ({ type }) => (type === 'wait-until' ? { output: { waitedMs: 0, result: null } } : undefined),
    async act({ step, path }, { request }, earlier) {
      const place = definitionPath(path);
      acted.set(place, (acted.get(place) ?? 0) + 1);
      const added = countAddedTokens(step, unknown);
      const forecast = await forecasts.forecastStep(step, request as PromptRequest, added);
      if (earlier) {
        found.push(toReused(step, earlier as EarlierOutcome, added === 0 ? undefined : forecast));
        if (added === 0) forget(unknown, step, path);
        else note(step, forecast.max.response);
        return earlier;
      }
      found.push(forecast);
      note(step, forecast.max.response);
      return guesses.guess(step, recordId, forecast);
    },
  };
  const run = { steps, variables, ports, signal, rehearsal, earlier: walk.earlier };
  const onEvent = (event: EngineRunEvent) => {
    const { step } = event;
    if (event.type === 'step_start') return openInputs(step, unknown);
    const { result } = event;
    if (isUndecided(step, unknown)) {
      isUncertain = true;
      openInside(step, unknown);
      if (step.type === 'map' || step.type === 'loop') {
        repeated.add(definitionPath(result.path));
      }
    }
    if (result.status === 'failed') {
      if (unknown.size > 0) isUncertain = true;
      else if (!event.isFinal) walk.onFailure(step, result.error ?? '', recordId);
    }
    if (result.status !== 'completed') return;
    const variable = outputVariableName(step);
    if (variable) variables[variable] = result.output;
    if (!getStepType(step.type).effects) judgeFree(unknown, step, result);
  };
  await runFlow({ ...run, onEvent, trace: toTracedRun(walk.runId, undefined) });
  if (isUncertain) found.push(...(await forecastOtherSteps(walk, { acted, variables, unknown, repeated })));
  return found;
}

/** A variable of an item or of another flow says nothing about the one outside that has the same name. */
const forget = (unknown: UnknownTexts, step: FlowStep, path: RunPath) =>
  listsAround(path).some(isOwnScope) || unknown.delete(outputVariableName(step) ?? '');

/** What a free step made is as unknown as what it was made of. */
function judgeFree(unknown: UnknownTexts, step: FlowStep, { output, path }: StepResult): void {
  const variable = outputVariableName(step);
  if (!variable) return;
  const added = givesUnknown(step, unknown) ? null : countAddedTokens(step, unknown);
  const isWait = step.type === 'wait-until';
  if (added === 0 && !isWait) forget(unknown, step, path);
  else if (added === null || isWait || typeof output !== 'string') unknown.set(variable, null);
  else unknown.set(variable, Buffer.byteLength(output) + added);
}

const toReused = (
  { id }: FlowStep,
  { savedCost }: EarlierOutcome & StepOutcome,
  otherwise: ForecastStep | undefined,
): ForecastStep => ({
  stepId: id,
  isReused: true,
  saved: Number(savedCost ?? 0),
  expected: undefined,
  max: otherwise?.max ?? { calls: 0, cost: 0, response: null },
});
