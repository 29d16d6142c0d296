import type { Ports } from '../../adapters/ports/ports.ts';
import { createFiller } from '../../adapters/templates/filler.ts';
import { anySignal } from '../../core/concurrency/abort.ts';
import { RunMustWait } from '../../core/errors/run-must-wait.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { flowing } from '../../core/redaction/hidden.ts';
import { shownPlace, turnsPath } from '../../domain/flows/steps/run-path.ts';
import type { FlowStep, StepEvent } from '../../domain/flows/steps/step.ts';
import { openActs } from '../step-support/acts.ts';
import type {
  AnyStepRunner,
  AwaitsCaller,
  StepOutcome,
  StepTurns,
  Suspended,
  WaitsInside,
} from '../step-support/step-runner.ts';
import { loadStepRunner } from '../steps/index.ts';
import type { EngineState } from './engine.ts';
import { createInside } from './inside.ts';
import { actOn, type Reuse } from './requests.ts';
import type { Frame } from './run-steps.ts';
import { takeOutput } from './step-output.ts';
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
    const variables = secrets.variablesFor(step, frame.variables);
    const filler = createFiller(variables, ports.sandbox);
    const emit = onStepEvent && secrets.emitter(step, (event: StepEvent) => onStepEvent(step, event, path));
    const runner = await loadStepRunner(step.type);
    const place = () => placeOf(state, step, path);
    const run = {
      ...filler,
      config,
      variables,
      ports: comingBack(ports, state, step, since),
      signal,
      since,
      place,
      act: acts.act,
      turns: turnsOf(state, path),
      emit,
    };
    const onHash = (hash: string) => {
      requestHash = hash;
    };
    const outcome = await (state.rehearsal?.insteadOf(step) ?? runWith(runner));
    // A step that goes on after failures in it goes on after this one, too.
    if (sums) signal.throwIfAborted();
    if ('isWaiting' in outcome || 'until' in outcome) return outcome;
    if ('awaitsCaller' in outcome) {
      if (state.hasCaller) return outcome;
      throw callerMissing();
    }
    takeOutput(state, flowing(outcome));
    state.turns.delete(path);
    return { outcome: secrets.outcome(step, outcome), requestHash, sums };

    function runWith(runner: AnyStepRunner) {
      if ('run' in runner) return runner.run(run);
      if (!('hold' in runner)) return actOn(runner, run, { state, frame, step, path, reuse, onHash });
      sums = openSums(frame.sums);
      const holder = { path, sums, signal, isRetried: step.retry !== undefined };
      return runner.hold({ ...run, inside: createInside(state, frame, holder) });
    }
  } catch (thrown) {
    frame.signal.throwIfAborted();
    if (limit?.aborted) return { error: acts.failure(tooLong(step)), requestHash, sums };
    if (thrown instanceof RunMustWait && state.trace) return { until: thrown.until };
    const error = secrets.error(step, thrown);
    if (error instanceof StepError) return { error: acts.failure(error), requestHash, sums };
    throw error;
  }
}

const turnsOf = ({ turns, kept, onMark, onActed }: EngineState, path: string): StepTurns => ({
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
function comingBack(ports: Ports, { trace }: EngineState, { retry }: FlowStep, since: Date): Ports {
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

const placeOf = ({ steps }: EngineState, { id, name }: FlowStep, path: string) => ({
  path,
  stepId: id,
  stepName: name,
  ...shownPlace(steps, path),
});

const tooLong = ({ timeoutMs }: FlowStep) =>
  new StepError(`The step did not end within its time limit of ${timeoutMs} ms`, {
    retryable: true,
    kind: 'timeout',
  });

/** The step of a local tool, with the output that the caller sent. */
export function answeredStep(state: EngineState, step: FlowStep, output: unknown): AttemptOutcome {
  try {
    takeOutput(state, output);
    return { outcome: state.secrets.outcome(step, { output }) };
  } catch (error) {
    if (error instanceof StepError) return { error };
    throw error;
  }
}

const callerMissing = () =>
  new StepError(
    'The caller of a run executes local tools, but nobody waits for this run; run the flow through POST /v1/dispatch, or remove the step',
  );
