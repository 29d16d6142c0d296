/**
 * Walks a flow on one record without acting, and forecasts each step that a run would perform.
 * The engine runs in rehearsal: free steps run, acting ones are forecast and give a guess as their output. Variables
 * that come from guesses are tracked with the most tokens that they may add, so that a later request has an upper
 * limit; where an unknown value decides which steps run or how often, all steps inside count as unknown.
 * Steps that the walk did not reach but a run might are added for the upper limit only. A failure that follows from no
 * guess is reported to the caller (`onFailure`).
 * `forecaster.ts` calls `walkRecord` for sampled records and `forecastLimits` for the others; the costs are in
 * `step-forecasts.ts`.
 */
import type { Ports } from '../../adapters/ports/ports.ts';
import { createFiller } from '../../adapters/templates/filler.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { toTracedRun } from '../../core/trace-context.ts';
import type { Variables } from '../../core/variables.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import { mapItemsMax } from '../../domain/flows/step-types/map.ts';
import { countChunksMax, type ReduceConfig } from '../../domain/flows/step-types/reduce.ts';
import { findHeldLists, walkSteps } from '../../domain/flows/steps/held-lists.ts';
import {
  definitionPath,
  findStepAt,
  holderPath,
  isOwnScope,
  listsAround,
  type RunPath,
} from '../../domain/flows/steps/run-path.ts';
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
import { loadStepRunner } from '../steps/index.ts';
import type { HighestCost, PromptRequest } from './prompt-call.ts';
import { type ForecastStep, type Guesses, type StepForecasts, unlimitedCost } from './step-forecasts.ts';

interface Walk {
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
      noteResult(steps, step, path, forecast.max, unknown);
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
  found.push(...forecastOtherLevels(steps, found, acted));
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

/** The steps that may run too, if an unknown output decides otherwise than its guess. They count for the limit alone. */
async function forecastOtherSteps(
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
  holder?.type === 'map'
    ? mapItemsMax
    : holder?.type === 'loop'
      ? Number(holder.config.maxIterations)
      : holder?.type === 'reduce'
        ? countChunksMax(holder.config)
        : 1;

const severalTimes = ({ calls, cost, ...highest }: HighestCost, times: number): HighestCost => ({
  ...highest,
  calls: calls * times,
  cost: cost === null ? null : cost * times,
});

/**
 * The variables whose values a forecast only guesses, with the most tokens that each may be when it is inserted. Null
 * where nothing limits it.
 */
type UnknownTexts = Map<string, number | null>;

/** As `reduce` counts the tokens of an item. */
const bytesPerToken = 4;

const mentions = (text: string, variable: string) => [
  ...text.matchAll(new RegExp(`(?<![\\w$.])${variable.replaceAll('$', '\\$')}(?![\\w$])`, 'g')),
];
const findInsertions = (text: string, variable: string) => [
  ...text.matchAll(
    new RegExp(`\\{\\{-?\\s*${variable.replaceAll('$', '\\$')}\\s*(?:\\|\\s*json\\s*)?-?\\}\\}`, 'g'),
  ),
];

const getTemplateText = ({ type, config }: Pick<FlowStep, 'type' | 'config'>): string => {
  const held = new Set<PropertyKey | undefined>(findHeldLists(config).map(({ at: [name] }) => name));
  const isOwn = ([name]: [string, unknown]) => !held.has(name) && !namesOfOutput.has(name);
  const text = JSON.stringify(Object.fromEntries(Object.entries(config).filter(isOwn)));
  // Elsewhere in a template a name is a word of a sentence.
  return codeTypes.has(type) ? text : findTags(text).join(' ');
};

const namesOfOutput = new Set(['outputVariable', 'variableName', 'as', 'indexAs']);

const findTags = (text: string): string[] => [
  ...text
    .split('{{')
    .slice(1)
    .map((part) => `{{${part.split('}}')[0]}}}`),
  ...text
    .split('{%')
    .slice(1)
    .map((part) => part.split('%}')[0] ?? ''),
];

/** Types of steps whose configs are code, not templates. */
const codeTypes = new Set([
  'transform-data',
  'set-variable',
  'conditional',
  'wait-until',
  'parallel',
  'map',
  'loop',
  'reduce',
]);

/**
 * How many tokens the unknown values may add to what a step renders: 0 if it reads none, null if it does more than insert
 * them.
 */
function countAddedTokens(step: Pick<FlowStep, 'type' | 'config'>, unknown: UnknownTexts): number | null {
  const text = getTemplateText(step);
  let added = 0;
  for (const [variable, most] of unknown) {
    const places = mentions(text, variable).length;
    if (places === 0) continue;
    const inserted = findInsertions(text, variable);
    if (most === null || inserted.length < places) return null;
    for (const [tag] of inserted) added += most * (tag.includes('|') ? jsonFactor : 1);
  }
  return added;
}

/** Whether an unknown value decides if a step runs, which of its branches, or how often what is in it. */
const isUndecided = ({ when, type, config }: FlowStep, unknown: UnknownTexts): boolean => {
  const deciding = decidingMembers[type];
  const texts = [when, deciding && config[deciding]].filter((text) => typeof text === 'string');
  return [...unknown.keys()].some((variable) => texts.some((text) => mentions(text, variable).length > 0));
};
const decidingMembers: Record<string, string> = { conditional: 'condition', map: 'items', loop: 'while' };

/** What the steps in a step give is unknown if it is which of them run. Passes without a number add up to anything. */
function openInside(step: FlowStep, unknown: UnknownTexts): void {
  for (const { step: inside } of walkSteps([step])) {
    const variable = outputVariableName(inside);
    if (variable && (step.type === 'loop' || !unknown.has(variable))) unknown.set(variable, null);
  }
}

/** The inputs of another flow are as unknown as what they are made of. */
function openInputs({ type, config }: FlowStep, unknown: UnknownTexts): void {
  // From the second level on, and from the second chunk on, they are what the last step gave.
  if (type === 'reduce' && lastStep(config)?.type !== 'prompt') unknown.set(resultVariable(config), null);
  if (type !== 'flow') return;
  for (const [name, value] of Object.entries(config.inputs ?? {})) {
    if (countAddedTokens({ type, config: { value } }, unknown) !== 0) unknown.set(name, null);
  }
}

const lastStep = (config: FlowStep['config']): FlowStep | undefined =>
  (config as Pick<ReduceConfig, 'steps'>).steps.findLast(({ enabled }) => enabled);
const resultVariable = (config: FlowStep['config']) => (config.combine === 'sequence' ? 'previous' : 'items');

/** A text as JSON has at most twice its bytes, apart from characters that models do not write, and its quotes. */
const jsonFactor = 2;
const jsonBytes = 3;

/** What a chunk gives is unknown to the chunks that read it: as much as the chunk takes of it. */
function noteResult(
  steps: readonly FlowStep[],
  step: FlowStep,
  path: RunPath,
  { response }: HighestCost,
  unknown: UnknownTexts,
): void {
  const around = listsAround(definitionPath(path)).at(-1);
  const holder = around === undefined ? undefined : findStepAt(steps, holderPath(around));
  if (holder?.type !== 'reduce' || lastStep(holder.config)?.id !== step.id) return;
  const { chunk, combine } = holder.config as ReduceConfig;
  const variable = resultVariable(holder.config);
  const before = unknown.get(variable) ?? (unknown.has(variable) ? null : 0);
  if (response === null || before === null) return void unknown.set(variable, null);
  // Lists are printed as JSON without a filter too.
  const one = (combine === 'sequence' ? 1 : jsonFactor) * response + jsonBytes;
  const most =
    combine === 'sequence'
      ? one
      : chunk.maxItems !== undefined
        ? chunk.maxItems * one
        : Math.max(jsonFactor * bytesPerToken * (chunk.maxTokens ?? 0), 2 * one);
  unknown.set(variable, Math.max(before, most));
}

/**
 * Chunks by tokens hold two results at least, whatever their size: of n chunks at the first level, the levels above have
 * at most one and a half times n.
 */
function forecastOtherLevels(
  steps: readonly FlowStep[],
  found: readonly ForecastStep[],
  acted: ReadonlyMap<string, number>,
): ForecastStep[] {
  return [...walkSteps(steps)].flatMap(({ step, path }) => {
    const isInTree = listsAround(path).some((list) => {
      const holder = findStepAt(steps, holderPath(list));
      const { combine, chunk } = (holder?.config ?? {}) as Partial<ReduceConfig>;
      return holder?.type === 'reduce' && combine === 'tree' && chunk?.maxTokens !== undefined;
    });
    const times = acted.get(path) ?? 0;
    if (!isInTree || times < 2) return [];
    const costs = found.filter(({ stepId }) => stepId === step.id);
    const highest = costs.reduce((one, other) => (isHigher(other.max, one.max) ? other : one));
    const max = severalTimes(highest.max, Math.ceil(1.5 * times));
    return [{ ...highest, isReused: false, saved: 0, expected: undefined, max }];
  });
}

const isHigher = (one: HighestCost, other: HighestCost) =>
  other.cost !== null && (one.cost === null || one.cost > other.cost);

/** Whether steps in a step give something that is unknown. */
const givesUnknown = (step: FlowStep, unknown: UnknownTexts): boolean =>
  [...walkSteps([step])].some(
    ({ step: inside }) => inside !== step && unknown.has(outputVariableName(inside) ?? ''),
  );
