/**
 * Estimates what a step costs on one record: the expected cost, from earlier results of the flow or from limits, and
 * the highest.
 * `readHistory` reads the newest results of each step once for a forecast. With enough results of the same model,
 * tokens are scaled from the request's size; with fewer, the expectation lies between nothing and the limits of the
 * model. Steps that call models in ways of their own are known by their history alone, and their highest cost is
 * unlimited.
 * Where the rest of the walk needs an output, `openGuesses` takes an earlier one, else a text as long as it is
 * expected.
 * `walk-record.ts` asks for each step, `forecaster.ts` opens both, `totals.ts` adds up; the highest costs are computed
 * in `prompt-call.ts`.
 */
import { tokensOfText } from '../../adapters/models/usage.ts';
import type { ModelLimits } from '../../adapters/ports/model-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import type { PromptConfig } from '../../domain/flows/step-types/prompt.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { type PayloadRef, payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { getLongestResponse } from '../model-calls/call-cost.ts';
import { checkpointEntity, parseRows, type StoredStepResult } from '../runs/checkpoint.ts';
import { listFlowCheckpoints, skipDeletedResults } from '../runs/checkpoint-index.ts';
import type { StepOutcome } from '../step-support/step-runner.ts';
import {
  boundCost,
  estimatePromptTokens,
  type ForecastModels,
  type HighestCost,
  type PromptRequest,
} from './prompt-call.ts';

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

interface ExpectedCall {
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

/** A completed result of a step. */
interface PastResult {
  recordId: string | null;
  model: string | undefined;
  /** Estimated, of the prompt alone. */
  promptEstimate: number;
  inputTokens: number;
  outputTokens: number;
  /** USD; null if it is not known. */
  cost: number | null;
  durationMs: number;
  output: () => Promise<unknown>;
}

type History = ReadonlyMap<string, readonly PastResult[]>;

/** Of the newest checkpoints of the flow, over all its versions: an index page of each shard, and their items. */
const checkpointsMax = 300;
/** Fewer say nothing. */
const resultsMin = 20;
const charactersPerToken = 3.5;

/** The newest results by step, of steps that ran themselves. */
export async function readHistory(scope: Scope, flowId: string): Promise<History> {
  const { table } = scope;
  const payloads = payloadReader(scope);
  const keys: ReturnType<typeof checkpointEntity.key>[] = [];
  const entries = listFlowCheckpoints(table, flowId, { newestFirst: true });
  for await (const { recordId, runId, index } of skipDeletedResults(table, 'record', entries)) {
    keys.push(checkpointEntity.key({ recordId, runId, index }));
    if (keys.length >= checkpointsMax) break;
  }
  const items = await table.getMany(keys);
  const results = new Map<string, PastResult[]>();
  for (const checkpoint of decodeReadable(checkpointEntity, items)) {
    const rows = parseRows(checkpoint);
    for (const [place, kept] of checkpoint.results.entries()) {
      const [stepId, status, , durationMs] = rows[place] ?? [];
      if (stepId === undefined || status !== 'completed' || kept.reusedFrom) continue;
      const ofStep = results.get(stepId) ?? [];
      if (ofStep.length === 0) results.set(stepId, ofStep);
      ofStep.push(toPastResult(kept, checkpoint.recordId, durationMs ?? 0, payloads.fetch));
    }
  }
  return results;
}

const toPastResult = (
  kept: StoredStepResult,
  recordId: string | null,
  durationMs: number,
  fetchPayload: (payload: PayloadRef) => Promise<unknown>,
): PastResult => ({
  recordId,
  model: kept.modelUsed,
  promptEstimate: kept.resolvedPrompt ? estimatePayloadTokens(kept.resolvedPrompt) : 0,
  inputTokens: kept.promptTokens ?? 0,
  outputTokens: kept.completionTokens ?? 0,
  cost: kept.estimatedCost === null ? null : Number(kept.estimatedCost ?? 0),
  durationMs,
  output: async () => kept.output && fetchPayload(kept.output),
});

const estimatePayloadTokens = (payload: PayloadRef): number =>
  'pointer' in payload
    ? payload.bytes / charactersPerToken
    : tokensOfText(String(JSON.parse(payload.inline)));

export interface Guesses {
  /** An output that the step gave before, of the same record if there is one; else a text as long as it is expected. */
  guess: (step: FlowStep, recordId: string, forecast: ForecastStep) => Promise<StepOutcome>;
}

export function openGuesses(history: History): Guesses {
  let next = 0;
  return {
    async guess({ id, type, config }, recordId, { expected }) {
      const past = history.get(id) ?? [];
      const pastResult =
        past.find((result) => result.recordId === recordId) ?? past[next++ % Math.max(1, past.length)];
      if (pastResult) return { output: await pastResult.output() };
      if (type !== 'prompt' || typeof config.responseFormat === 'object') return { output: {} };
      return { output: 'x'.repeat(Math.round((expected?.output ?? 0) * charactersPerToken)) };
    },
  };
}
