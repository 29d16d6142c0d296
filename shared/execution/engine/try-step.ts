/**
 * Makes one attempt at a step: fills in its templates, plans, reuses or performs, and checks its output.
 * Order for a step that costs or acts: plan → hash of the plan → a stored result for that hash → perform. A run that
 * reuses nothing pays for the hash alone. Steps that hold lists run them through `createInside`, each in a frame of
 * variables of its own (`scope`).
 * A failure of the step is an outcome; anything else is thrown: bugs, and the reason of the aborted signal. A long wait
 * for a model suspends the run (`RunMustWait`) as long as no model has answered in the attempt.
 * An interrupted attempt leaves its turns and marks behind (`step-support/acts.ts`); the next attempt resumes an agent's
 * turns, and refuses to repeat an act whose outcome nobody knows.
 */
import { createHash } from 'node:crypto';
import type { Ports } from '../../adapters/ports/ports.ts';
import { createFiller } from '../../adapters/templates/filler.ts';
import { anySignal } from '../../core/concurrency/abort.ts';
import { RunMustWait, StepError } from '../../core/errors/step-error.ts';
import { countCharacters } from '../../core/json/json-texts.ts';
import { isDeeperThan, nestingLevelsMax } from '../../core/json/nesting.ts';
import { toSortedJson } from '../../core/json/sorted-json.ts';
import { toFlowingValue } from '../../core/redaction/hidden.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import type { ErrorHandling } from '../../domain/flows/steps/error-handling.ts';
import { type RunPath, toShownPlace, turnsPath } from '../../domain/flows/steps/run-path.ts';
import type { FlowStep, StepEvent } from '../../domain/flows/steps/step.ts';
import { addPayer } from '../model-calls/pipeline.ts';
import { openActs } from '../step-support/acts.ts';
import type { Inside, ListOutcome, ListRun } from '../step-support/held-run.ts';
import type {
  ActingRunner,
  AnyStepRunner,
  AwaitsCaller,
  StepOutcome,
  StepPlan,
  StepRun,
  StepTurns,
  Suspended,
  WaitsInside,
} from '../step-support/step-runner.ts';
import { loadStepRunner } from '../steps/index.ts';
import type { EngineState } from './engine.ts';
import type { Frame, ListEnd } from './run-steps.ts';
import { openSums, type StepSums } from './step-sums.ts';

export interface StepAttempt {
  state: EngineState;
  frame: Frame;
  path: string;
  /** Those of the state, with the model calls of the step counted. */
  ports: Ports;
  since: Date;
}

export type AttemptOutcome = (
  | { error: StepError }
  | { outcome: StepOutcome }
  | Suspended
  | AwaitsCaller
  | WaitsInside
) & {
  /** Of its request, if it was made or answered from an earlier result. */
  requestHash?: string | undefined;
  /** Of the steps in it. */
  sums?: StepSums | undefined;
};

/** Runs a step once. @throws errors that are not the step's own failure. */
export async function attemptStep(
  { state, frame, path, ports, since }: StepAttempt,
  step: FlowStep,
  reuse?: Reuse,
): Promise<AttemptOutcome> {
  const { onStepEvent, secrets } = state;
  const limit = step.timeoutMs === undefined ? undefined : AbortSignal.timeout(step.timeoutMs);
  const signal = anySignal(frame.signal, limit);
  const { config } = step;
  const acts = openActs(state, step, path);
  let requestHash: string | undefined;
  let sums: StepSums | undefined;
  try {
    const variables = secrets.resolveVariables(step, frame.variables);
    const filler = createFiller(variables, ports.sandbox);
    const emit = onStepEvent && secrets.emitter(step, (event: StepEvent) => onStepEvent(step, event, path));
    const runner = await loadStepRunner(step.type);
    const place = () => toStepPlace(state, step, path);
    const run = {
      ...filler,
      config,
      variables,
      ports: suspendLongWaits(ports, state, step, since),
      signal,
      since,
      place,
      act: acts.act,
      turns: openTurns(state, path),
      emit,
    };
    const onHash = (hash: string) => {
      requestHash = hash;
    };
    const outcome = await (state.rehearsal?.insteadOf(step) ?? runStepRunner(runner));
    // A step that goes on after failures in it goes on after this one, too.
    if (sums) signal.throwIfAborted();
    if ('isWaiting' in outcome || 'until' in outcome) return outcome;
    if ('awaitsCaller' in outcome) {
      if (state.hasCaller) return outcome;
      throw createCallerMissingError();
    }
    takeOutput(state, toFlowingValue(outcome));
    state.turns.delete(path);
    return { outcome: secrets.outcome(step, outcome), requestHash, sums };

    function runStepRunner(runner: AnyStepRunner) {
      if ('run' in runner) return runner.run(run);
      if (!('hold' in runner)) return actOn(runner, run, { state, frame, step, path, reuse, onHash });
      sums = openSums(frame.sums);
      const holder = { path, sums, signal, isRetried: step.retry !== undefined };
      return runner.hold({ ...run, inside: createInside(state, frame, holder) });
    }
  } catch (thrown) {
    frame.signal.throwIfAborted();
    if (limit?.aborted) return { error: acts.failure(createTimeoutError(step)), requestHash, sums };
    if (thrown instanceof RunMustWait && state.trace) return { until: thrown.until };
    const error = secrets.error(step, thrown);
    if (error instanceof StepError) return { error: acts.failure(error), requestHash, sums };
    throw error;
  }
}

const openTurns = ({ turns, kept, onMark, onActed }: EngineState, path: string): StepTurns => ({
  earlier: () => turns.get(path) ?? kept?.get(turnsPath(path)),
  async keep(made, acts) {
    turns.set(path, made);
    if (!acts) return;
    onActed?.();
    await onMark?.(turnsPath(path), made);
  },
});

/**
 * The ports of a step that can run again later: a longer wait for a model suspends the run, until a model has answered. A flow
 * inside of another is not suspended.
 */
function suspendLongWaits(ports: Ports, { trace }: EngineState, { retry }: FlowStep, since: Date): Ports {
  if (!trace) return ports;
  let isAnswered = false;
  const wait = { since, maySuspend: () => !isAnswered, triesAgain: retry !== undefined };
  return {
    ...ports,
    model: {
      ...ports.model,
      async *stream(request) {
        for await (const event of ports.model.stream({ ...request, wait })) {
          isAnswered = true;
          yield event;
        }
      },
    },
    async embed(request) {
      const answer = await ports.embed({ ...request, wait });
      isAnswered = true;
      return answer;
    },
  };
}

const toStepPlace = ({ steps }: EngineState, { id, name }: FlowStep, path: string) => ({
  path,
  stepId: id,
  stepName: name,
  ...toShownPlace(steps, path),
});

const createTimeoutError = ({ timeoutMs }: FlowStep) =>
  new StepError(`The step did not end within its time limit of ${timeoutMs} ms`, {
    retryable: true,
    kind: 'timeout',
  });

/** The step of a local tool, with the output that the caller sent. */
export function takeAnswer(state: EngineState, step: FlowStep, output: unknown): AttemptOutcome {
  try {
    takeOutput(state, output);
    return { outcome: state.secrets.outcome(step, { output }) };
  } catch (error) {
    if (error instanceof StepError) return { error };
    throw error;
  }
}

const createCallerMissingError = () =>
  new StepError(
    'The caller of a run executes local tools, but nobody waits for this run; run the flow through POST /v1/dispatch, or remove the step',
  );

/** A completed result stands in for a step whose request has this hash. */
export type Reuse = (hash: string) => Promise<StepOutcome | undefined>;

interface Acting {
  state: EngineState;
  frame: Frame;
  step: FlowStep;
  path: RunPath;
  /** Absent where the step runs whatever was stored. */
  reuse: Reuse | undefined;
  /** Receives the hash of the request before it is made. */
  onHash: (hash: string) => void;
}

/**
 * What surrounds a request, in its order: plan → reuse → perform. A run that reuses nothing pays for the hash alone, which
 * is stored with the result.
 */
async function actOn<Config>(
  runner: ActingRunner<Config>,
  run: StepRun<Config>,
  { state, frame, step, path, reuse, onHash }: Acting,
): Promise<StepOutcome | Suspended | AwaitsCaller> {
  const planRun = { ...run, ports: { ...run.ports, tools: readOnce(run.ports.tools) } };
  const plan = await runner.plan(planRun);
  const hash = await hashPlan(runner, planRun, plan, { state, frame, step });
  if (hash !== undefined) {
    onHash(hash);
  }
  const earlier = hash === undefined ? undefined : await reuse?.(hash);
  if (state.rehearsal) return state.rehearsal.act({ step, path }, plan, earlier);
  if (earlier) return earlier;
  return runner.perform(plan.request, planRun);
}

/** Larger requests, such as ten thousand vectors, are made again rather than hashed. */
const hashedCharactersMax = 4_000_000;

/** Undefined for what is not reused, and for what cannot be made: its failure says why. */
async function hashPlan<Config>(
  runner: ActingRunner<Config>,
  run: StepRun<Config>,
  plan: StepPlan<unknown>,
  { state: { trace, secrets }, frame: { variables }, step }: Pick<Acting, 'state' | 'frame' | 'step'>,
): Promise<string | undefined> {
  // Steps of a flow inside of another have no results.
  if (!trace || !getStepType(step.type).reusable) return undefined;
  if (countCharacters(plan.request, hashedCharactersMax) > hashedCharactersMax) return undefined;
  try {
    const marked = secrets.markVariables(step, variables);
    const shown =
      marked &&
      (await runner.plan({ ...run, variables: marked, ...createFiller(marked, run.ports.sandbox) }));
    return await requestHash(step.type, shown ?? plan, run.ports);
  } catch (error) {
    run.signal.throwIfAborted();
    if (error instanceof StepError) return undefined;
    throw error;
  }
}

/** Planning and performing read the same definitions of tools, in one request. */
function readOnce({ find }: StepRun<unknown>['ports']['tools']): StepRun<unknown>['ports']['tools'] {
  const reading = new Map<string, ReturnType<typeof find>>();
  return {
    find(ids) {
      const name = ids.join();
      const read = reading.get(name) ?? find(ids);
      reading.set(name, read);
      return read;
    },
  };
}

/** Part of each hash. Raise it with a change after which equal plans do something else. */
const hashVersion = 1;
const hashBytes = 12;

/**
 * What a plan asks for, in 16 characters: equal for plans that do the same, in every release. It includes what names mean
 * now: models with their settings, agents with their versions.
 */
export async function requestHash(
  type: string,
  { request, models = [], agents = [] }: StepPlan<unknown>,
  ports: Pick<Ports, 'model' | 'agents'>,
): Promise<string> {
  const meanings = await Promise.all([
    ...models.map((name) => ports.model.identity(name)),
    ...agents.map((id) => ports.agents.versionOf(id)),
  ]);
  return hashOfJson([hashVersion, type, meanings, omitModelNames(request, models)]);
}

/** Of a result that the fallbacks of a step gave for a request: other fallbacks would give another. */
export const hashFallback = (hash: string, policy: ErrorHandling) => hashOfJson([hash, policy]);

const hashOfJson = (content: unknown) =>
  createHash('sha256').update(toSortedJson(content)).digest().subarray(0, hashBytes).toString('base64url');

/** The name of a model says nothing beside its meaning: `default` may mean what a config's id means. */
const omitModelNames = (request: unknown, models: readonly string[]) =>
  models.length > 0 ? { ...(request as object), model: undefined, embeddingModel: undefined } : request;

/** @throws StepError if the output is too large or too deep. */
function takeOutput(state: EngineState, output: unknown): void {
  checkOutput(output);
  state.characters += checkCharacters(output, charactersMax - state.characters);
}

/** A record may have 100 levels of metadata, and a step may return it inside a list or an object. */
const outputLevelsMax = nestingLevelsMax + 10;

/** @throws StepError if a sandbox, a template, the table or a response could not take the output. */
function checkOutput(output: unknown): void {
  if (!isDeeperThan(outputLevelsMax, output)) return;
  throw new StepError(
    `The output is nested more than ${outputLevelsMax} levels deep; return a flatter value`,
  );
}

/** The limit for all outputs of a run together: they stay in memory until its end. */
const charactersMax = 100_000_000;

function checkCharacters(output: unknown, left: number): number {
  const characters = countCharacters(output, left);
  if (characters <= left) return characters;
  throw new StepError(
    `The outputs of the run have more than ${charactersMax} characters together; return less from the steps`,
  );
}

interface Holder {
  path: string;
  sums: StepSums;
  /** Aborted when the step is to stop. */
  signal: AbortSignal;
  /** Whether a failure of the step may be tried again. */
  isRetried: boolean;
}

/** Lets a step run the lists that it holds. */
function createInside(state: EngineState, around: Frame, holder: Holder): Inside {
  const { path, sums, isRetried } = holder;
  const absorbsAround = around.absorbs && !isRetried;
  return {
    kept: () => state.kept?.get(path),
    keep: (value) => state.onKept?.(path, value),
    forEach: state.bounds.forEach,
    hasBegun: (key) => state.begun.has(`${path}.${key}`),
    run: async ({ signal = holder.signal, ...list }) => {
      const frame = { ...frameFor(around, list), signal, sums, absorbs: absorbsAround || list.absorbs };
      const restore = list.scope === 'around' ? setTemporarily(around, list.inputs) : undefined;
      const end = await state.runList(state, frame, list.steps, `${path}.${list.key}.`).finally(restore);
      return toListOutcome(end, frame);
    },
  };
}

function frameFor(around: Frame, { scope, inputs, payer }: ListRun) {
  const ports = payer ? addPayer(around.ports, payer) : around.ports;
  if (scope === 'around') return { ...around, ports, last: { output: null } };
  const variables = { ...(scope === 'own' && around.variables), ...inputs };
  return { variables, assigned: {}, ports, last: { output: null } };
}

/** Sets variables in the scope around. @returns what puts back what was there before. */
function setTemporarily({ variables }: Frame, inputs: object) {
  const before = Object.keys(inputs).map(
    (name) => [name, Object.hasOwn(variables, name), variables[name]] as const,
  );
  Object.assign(variables, inputs);
  return () => {
    for (const [name, wasSet, value] of before) {
      if (wasSet) variables[name] = value;
      else delete variables[name];
    }
  };
}

const toListOutcome = (
  { failure, isWaiting }: ListEnd,
  { last, assigned, variables }: Frame,
): ListOutcome => {
  if (isWaiting) return { status: 'waiting' };
  if (failure) return { status: 'failed', failure };
  return { status: 'completed', output: toFlowingValue(last), assigned, variables };
};
