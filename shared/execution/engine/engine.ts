/**
 * Runs a flow: the interface of the engine (`runFlow`, its events, results and waits), its bounds and the secrets of a
 * run.
 * The engine stores nothing. It emits `step_start` and `step_end`, each of which its step awaits, and the consumer
 * (`runs/run-attempt.ts`) decides what is written when. A run that is resumed gets its results (`done`), its waits and
 * what its steps kept, and goes on from there; it ends, or returns its open waits once nothing can run without them.
 * Inside: `run-steps.ts` runs lists of steps in order, `retry-step.ts` repeats a step and its fallbacks, `try-step.ts`
 * makes one attempt and runs the lists that a step holds.
 * Secrets are opened once per run; only a step that names one sees its value, and all results, events and errors pass
 * the masks (`step-support/masks.ts`) before anybody sees them.
 */
import type { Ports } from '../../adapters/ports/ports.ts';
import { eventLoopYielder } from '../../core/concurrency/event-loop.ts';
import { forEachConcurrently } from '../../core/concurrency/map-concurrently.ts';
import type { StepErrorCode } from '../../core/errors/step-error.ts';
import { newId } from '../../core/ids.ts';
import type { Note } from '../../core/note.ts';
import type { Unmasked } from '../../core/redaction/hidden.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';
import type { TracedRun } from '../../core/trace-context.ts';
import type { Variables } from '../../core/variables.ts';
import { secretKeysOfStep, secretKeysOfSteps } from '../../domain/flows/secret-keys.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import type { Attempt } from '../../domain/flows/steps/attempt.ts';
import { listsAround, type RunPath } from '../../domain/flows/steps/run-path.ts';
import type { FlowStep, StepEvent } from '../../domain/flows/steps/step.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import type { StepSpending } from '../../domain/runs/run-use.ts';
import type { ActingRun } from '../step-support/acts.ts';
import { type NamedSecrets, openMasks, pickOpenedValues } from '../step-support/masks.ts';
import type { LocalCall, StepOutcome, StepPlan, StepRun } from '../step-support/step-runner.ts';
import { type Frame, runStepList } from './run-steps.ts';

/** The result of one step. */
export interface StepResult extends Partial<StepOutcome>, StepSpending {
  path: RunPath;
  stepId: string;
  modelUsed?: string;
  status: 'completed' | 'failed' | 'skipped';
  startedAt: string;
  durationMs: number;
  retryCount: number;
  /** If there was more than one. */
  attempts?: Attempt[];
  error?: string;
  errorCode?: StepErrorCode;
  /** Of the request of a step that costs or acts; what a later run may find it by. */
  requestHash?: string;
  /** The result that it was taken from, if it did not run. */
  reusedFrom?: ResultSource;
  /** For a failed step: whether a retry may succeed. */
  retryable?: boolean;
  /** What happened in the step. */
  notes?: Note[];
  /** The model calls of the step. Not part of its stored result. */
  modelCalls?: readonly ModelCall[];
}

export type EngineRunEvent =
  | { type: 'step_start'; step: FlowStep; path: RunPath; effects: boolean }
  /** `isFinal` is false if the step's failure ends the run, unless what is around it ends otherwise. */
  | { type: 'step_end'; step: FlowStep; result: StepResult; effects: boolean; isFinal: boolean };

/** A step that waits without occupying a worker. */
export interface StepWait {
  path: RunPath;
  since: string;
}

export interface OpenWait extends StepWait {
  step: FlowStep;
  /** When to run the step again; absent if it waits for the caller, who executes the tool. */
  until?: Date;
  /** Whether an answer of somebody else ends the wait earlier. */
  isAnswerable?: true;
  /** Whether such an answer does not resume the run yet. */
  needsResume?: true;
  call?: LocalCall;
}

export interface FlowEnd extends Unmasked {
  success: boolean;
  output: unknown;
  error?: string;
  errorCode?: StepErrorCode;
  retryable: boolean;
}

/** A run that waits has done all that does not need what it waits for. Pass the waits as `waiting` to resume it. */
type FlowOutcome = { end: FlowEnd } | { waits: OpenWait[] };

export interface FlowRun extends Partial<Omit<ActingRun, 'onKept' | 'onMark'>> {
  steps: readonly FlowStep[];
  variables: Variables;
  ports: Ports;
  signal: AbortSignal;
  /** The run whose steps these are. Those of a flow inside of another are notes of its step. */
  trace?: TracedRun | undefined;
  /** Results of an earlier attempt by path. These steps do not run again. */
  done?: ReadonlyMap<RunPath, StepResult>;
  /** The waits in which an earlier attempt was suspended. */
  waiting?: readonly StepWait[] | undefined;
  /** The turns of steps whose attempts have failed, by path. Attempts of the run share it. */
  turns?: Map<RunPath, unknown> | undefined;
  /** Results of earlier runs that stand in for steps. */
  earlier?: EarlierResults | undefined;
  /** Given to walk through the flow without its effects. */
  rehearsal?: Rehearsal | undefined;
  /** As those of acts, with what to store in place of a value that has values of secrets. */
  onKept?: ((path: string, value: unknown, sealed: Unmasked) => void) | undefined;
  onMark?: ((path: string, value: unknown, sealed: Unmasked) => Promise<void>) | undefined;
  /** Whether the run has a caller that can execute tools. Without one, a step that needs it fails. */
  hasCaller?: boolean;
  answered?: { path: RunPath; output: unknown } | undefined;
  /** Receives each event. Its step waits for it; steps beside it go on. */
  onEvent?: ((event: EngineRunEvent) => Promise<void> | void) | undefined;
  /** Receives the events inside the steps. The step waits for it. */
  onStepEvent?: ((step: FlowStep, event: StepEvent, path: RunPath) => Promise<void> | void) | undefined;
  /** Receives what is known of a step that ends without a result, because the run is aborted. */
  onInterrupted?: (step: StepResult) => void;
  /** How many steps it may have. Default: 100,000. */
  stepsMax?: number;
}

export interface EngineState extends Omit<FlowRun, 'variables' | 'onKept' | 'onMark'>, ActingRun {
  identity: string;
  turns: Map<RunPath, unknown>;
  secrets: RunSecrets;
  bounds: RunBounds;
  /** Approximate length of all outputs as JSON, in characters. */
  characters: number;
  /** The open waits by path. */
  waits: Map<RunPath, OpenWait>;
  /** The lists in which a step has ended, or waited in an earlier attempt. */
  begun: Set<string>;
  /** What runs the lists that steps hold. */
  runList: typeof runStepList;
}

interface RunEnd {
  failure?: Pick<StepResult, 'error' | 'errorCode' | 'retryable'>;
  isWaiting?: true;
}

const collectBegunLists = ({ done, waiting = [] }: Pick<FlowRun, 'done' | 'waiting'>): string[] =>
  [...(done?.keys() ?? []), ...waiting.map(({ path }) => path)].flatMap(listsAround);

/**
 * Runs the steps in order; steps that hold steps run them, some at the same time. The consumer decides what to store. A
 * failed step ends the run unless its error handling, or a step around it, says otherwise.
 * @throws errors that are not a step's own failure: bugs, and the signal's reason.
 */
export async function runFlow({ variables, onKept, onMark, ...run }: FlowRun): Promise<FlowOutcome> {
  const secrets = await openRunSecrets(run.steps, run.ports);
  const state: EngineState = {
    ...run,
    ...(onKept && { onKept: (path, value) => onKept(path, value, secrets.sealKept(value)) }),
    ...(onMark && { onMark: (path, value) => onMark(path, value, secrets.sealKept(value)) }),
    identity: run.identity ?? run.trace?.runId ?? newId('exec'),
    turns: run.turns ?? new Map(),
    ports: secrets.ports,
    secrets,
    bounds: openRunBounds(run.signal, run.stepsMax),
    characters: 0,
    waits: new Map(),
    begun: new Set(collectBegunLists(run)),
    runList: runStepList,
  };
  const frame: Frame = {
    variables: { ...variables },
    assigned: {},
    signal: run.signal,
    ports: state.ports,
    last: { output: null },
    absorbs: false,
  };
  const ended = await runStepList(state, frame, run.steps, '').catch((error) => {
    if (error instanceof TooManySteps) return { failure: { error: error.message, retryable: false } };
    throw error;
  });
  const { failure, isWaiting }: RunEnd = ended;
  if (isWaiting) return { waits: [...state.waits.values()] };
  const { output, unmasked } = frame.last;
  return {
    end: {
      success: !failure,
      output,
      ...(unmasked && { unmasked }),
      ...(failure?.error && { error: failure.error }),
      ...(failure?.errorCode && { errorCode: failure.errorCode }),
      retryable: failure?.retryable ?? false,
    },
  };
}

/** Walks through a flow without its effects: steps that cost or act are planned, and never performed. */
export interface Rehearsal {
  /** Instead of performing a plan. @param earlier The result that would stand in for it in a run that reuses some */
  act: (
    place: { step: FlowStep; path: RunPath },
    plan: StepPlan<unknown>,
    earlier: StepOutcome | undefined,
  ) => StepOutcome | Promise<StepOutcome>;
  /** Instead of a step that costs nothing, but takes long. Undefined if the step shall run. */
  insteadOf: (step: FlowStep) => StepOutcome | undefined;
}

/** Where a result was taken from: a step result, and its batch or execution. */
export interface ResultSource {
  resultId: string;
  runId: string;
}

/** An outcome that is stored already. It costs nothing again. */
export interface EarlierOutcome extends StepOutcome {
  requestHash: string;
  reusedFrom: ResultSource;
  estimatedCost: '0';
  /** What it cost when it was made: USD as decimal text, null if the price is not known. */
  savedCost: string | null;
}

/** What earlier runs of the flow on the same record have stored. */
export interface EarlierResults {
  /** The result at this path of the run that this one continues, which is taken over as it is. */
  at: (path: string) => StepResult | undefined;
  /** The results of that run in a step, in the order in which they were made. */
  inside: (path: string) => StepResult[];
  /** Of the run that this one continues: whose acts these are, and what its steps have kept. */
  continued?: { identity: string; kept: ReadonlyMap<string, unknown> } | undefined;
  /** The newest completed result of a step whose request has one of these hashes. */
  findByRequest: (stepId: string, hashes: readonly string[]) => Promise<EarlierOutcome | undefined>;
}

/**
 * What a run may take of its process, over all its levels: how many steps it runs, how many of its lists go on at once, and
 * how long it holds the event loop. Lists in lists multiply, so that a bound of each would bound nothing.
 */
interface RunBounds {
  /** Called before each step. Wait for what it returns: other work is due. @throws TooManySteps */
  beginStep: () => Promise<void> | undefined;
  /** Counts steps that an earlier attempt of the run has done. @throws TooManySteps */
  countSteps: (count: number) => void;
  /** Each list that a step holds, `atOnce` of them at once as far as the lists around leave room. */
  forEach: <T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<void>) => Promise<void>;
}

/** How many steps a run may have, those of its branches, items, passes and inner flows included. */
const runStepsMax = 100_000;
/** How many branches and items of a run go on at once, over all levels. */
const listsAtOnceMax = 50;

/** Ends the run: a step that goes on after failures would otherwise go on for each of its items. */
class TooManySteps extends Error {
  constructor(stepsMax: number) {
    const most = stepsMax.toLocaleString('en');
    super(
      `The run has more than ${most} steps, those of branches, items, passes and inner flows included. Give the lists fewer items, or run the flow on records`,
    );
  }
}

function openRunBounds(signal: AbortSignal, stepsMax = runStepsMax): RunBounds {
  const yieldIfDue = eventLoopYielder(signal);
  let steps = 0;
  let lists = 0;
  const countSteps = (count: number) => {
    steps += count;
    if (steps > stepsMax) throw new TooManySteps(stepsMax);
  };
  // The first list of each step needs no permit, so that steps in steps never wait for each other.
  const permits = {
    tryAcquire: () => lists < listsAtOnceMax && ++lists > 0,
    release: () => void lists--,
  };
  return {
    countSteps,
    beginStep() {
      countSteps(1);
      return yieldIfDue();
    },
    forEach: (items, atOnce, work) => forEachConcurrently(items, atOnce, work, permits),
  };
}

/** Only a step that names a secret sees its value. All that a run shows is without the values that it has opened. */
interface RunSecrets {
  ports: Ports;
  /** The variables as a step sees them. @throws StepError if a secret that it names has no value. */
  resolveVariables: (step: FlowStep, variables: Variables) => Variables;
  /** The same with the versions of the secrets in place of their values; undefined if the step names none. */
  markVariables: (step: FlowStep, variables: Variables) => Variables | undefined;
  outcome: (step: FlowStep, outcome: StepOutcome) => StepOutcome;
  /** Masks events. Text that may be the beginning of a value is held back until the next piece, or the end of its text. */
  emitter: (step: FlowStep, emit: NonNullable<Emit>) => NonNullable<Emit>;
  /** The error without values in its message. */
  error: (step: FlowStep, error: unknown) => unknown;
  /** Opens secrets that an earlier attempt of the run had opened, so that their values stay masked. */
  reopen: (keys: readonly string[]) => Promise<void>;
  /** What a step keeps for when the run resumes, if that has values of secrets. */
  sealKept: (value: unknown) => Unmasked;
}

type Emit = StepRun<unknown>['emit'];

/** @throws if the values cannot be read. */
async function openRunSecrets(steps: readonly FlowStep[], ports: Ports): Promise<RunSecrets> {
  const masks = openMasks(ports);
  const all = secretKeysOfSteps(steps);
  const opened = all.length > 0 ? await masks.ports.secrets(all) : new Map<string, never>();
  return {
    ports: masks.ports,
    resolveVariables(step, variables) {
      const { ownKeys } = getNamedSecrets(step);
      return ownKeys.length === 0 ? variables : { ...variables, secrets: pickOpenedValues(opened, ownKeys) };
    },
    markVariables(step, variables) {
      const { ownKeys } = getNamedSecrets(step);
      const marks = ownKeys.map((key) => [key, `secret ${key} ${opened.get(key)?.version}`]);
      return ownKeys.length === 0 ? undefined : { ...variables, secrets: Object.fromEntries(marks) };
    },
    outcome(step, outcome) {
      if (!masks.hasAny()) return outcome;
      const { resolvedPrompt, ...masked } = masks.outcome(outcome, getNamedSecrets(step));
      const prompt = resolvedPrompt && masks.redactor(getNamedSecrets(step)).text(resolvedPrompt);
      return { ...masked, ...(prompt !== undefined && { resolvedPrompt: prompt }) };
    },
    emitter: (step, emit) =>
      createMaskedEmit(() => (masks.hasAny() ? masks.redactor(getNamedSecrets(step)) : undefined), emit),
    error: (step, error) => masks.error(error, { ...getNamedSecrets(step), use: 'text' }),
    async reopen(keys) {
      const closed = keys.filter((key) => !masks.keys().includes(key));
      if (closed.length > 0) await masks.ports.secrets(closed);
    },
    sealKept: (value) => {
      const { unmasked } = masks.outcome({ output: value }, { keys: masks.keys(), use: 'text' }) as Unmasked;
      return unmasked ? { unmasked } : {};
    },
  };
}

interface SecretsOfStep extends NamedSecrets {
  /** Without those of the steps in it, whose outputs are part of its own. */
  ownKeys: readonly string[];
}

/** Kept, since a step runs for every record. */
function getNamedSecrets(step: FlowStep): SecretsOfStep {
  const secrets = named.get(step) ?? {
    keys: secretKeysOfSteps([step]),
    ownKeys: secretKeysOfStep(step),
    use: getStepType(step.type).takesSecrets || 'text',
  };
  named.set(step, secrets);
  return secrets;
}
const named = new WeakMap<FlowStep, SecretsOfStep>();

/** The texts whose pieces are events, with the event that ends each. */
const ends = {
  text_delta: 'text_complete',
  reasoning_delta: 'reasoning_complete',
  tool_input_delta: 'tool_input_complete',
  tool_output_delta: 'tool_complete',
} as const;

type Delta = Extract<StepEvent, { delta: string }>;
const isDelta = (event: StepEvent): event is Delta => event.type in ends;
const getCallId = (event: StepEvent) => ('toolCallId' in event ? event.toolCallId : '');

function createMaskedEmit(
  redactorNow: () => Redactor | undefined,
  emit: NonNullable<Emit>,
): NonNullable<Emit> {
  const open = new Map<string, { last: Delta; pieces: ReturnType<Redactor['stream']> }>();
  const send = (event: Delta, delta: string) => (delta === '' ? undefined : emit({ ...event, delta }));
  return async (event) => {
    if (isDelta(event)) {
      const name = `${ends[event.type]} ${getCallId(event)}`;
      const redactor = redactorNow();
      const pieces = open.get(name)?.pieces ?? redactor?.stream();
      if (!pieces) return emit(event);
      open.set(name, { last: event, pieces });
      return send(event, pieces.push(event.delta));
    }
    const name = `${event.type} ${getCallId(event)}`;
    const ended = open.get(name);
    open.delete(name);
    if (ended) await send(ended.last, ended.pieces.end());
    const redactor = redactorNow();
    return emit(redactor ? redactor.json(event) : event);
  };
}
