import type { Ports } from '../../adapters/ports/ports.ts';
import { fillerOf } from '../../adapters/templates/filler.ts';
import { RunMustWait } from '../../core/errors/run-must-wait.ts';
import { StepError } from '../../core/errors/step-error.ts';
import type { FlowStep, StepEvent } from '../../domain/flows/steps/step.ts';
import type { AwaitsCaller, StepOutcome, Suspended } from '../step-support/step-runner.ts';
import { runnerOf } from '../steps/index.ts';
import type { EngineState } from './engine.ts';
import { actOn, type Reuse } from './requests.ts';
import { takeOutput } from './step-output.ts';

export interface StepAttempt {
  state: EngineState;
  /** Those of the state, with the model calls of the step counted. */
  ports: Ports;
  since: Date;
}

/** With the hash of the request, if it was made or answered from an earlier result. */
export type AttemptOutcome = ({ error: StepError } | { outcome: StepOutcome } | Suspended | AwaitsCaller) & {
  requestHash?: string | undefined;
};

/** Runs a step once. @throws errors that are not the step's own failure. */
export async function attemptStep(
  { state, ports, since }: StepAttempt,
  step: FlowStep,
  reuse?: Reuse,
): Promise<AttemptOutcome> {
  const { signal, onStepEvent, secrets } = state;
  const { config } = step;
  let requestHash: string | undefined;
  try {
    const variables = secrets?.variablesFor(step, state.variables) ?? state.variables;
    const filler = fillerOf(variables, ports.sandbox);
    const emit = onStepEvent && ((event: StepEvent) => onStepEvent(step, secrets?.event(event) ?? event));
    const runner = await runnerOf(step.type);
    const run = { ...filler, config, variables, ports: comingBack(ports, state, since), signal, since, emit };
    const onHash = (hash: string) => {
      requestHash = hash;
    };
    const known = state.rehearsal?.insteadOf(step);
    const outcome: StepOutcome | Suspended | AwaitsCaller = await (known ??
      ('run' in runner ? runner.run(run) : actOn(runner, run, { state, step, reuse, onHash })));
    if ('until' in outcome) return outcome;
    if ('awaitsCaller' in outcome) {
      if (state.hasCaller) return outcome;
      throw callerMissing();
    }
    takeOutput(state, outcome.output);
    return { outcome: secrets?.outcome(outcome) ?? outcome, requestHash };
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof RunMustWait && state.trace) return { until: thrown.until };
    const error = secrets ? secrets.error(thrown) : thrown;
    if (error instanceof StepError) return { error, requestHash };
    throw error;
  }
}

/**
 * The ports of a step that can run again later: a longer wait for a model suspends the run, until a model has answered. A flow
 * inside of another is not suspended.
 */
function comingBack(ports: Ports, { trace }: EngineState, since: Date): Ports {
  if (!trace) return ports;
  let isAnswered = false;
  const wait = { since, maySuspend: () => !isAnswered };
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

/** The step of a local tool, with the output that the caller sent. */
export function answeredStep(state: EngineState, output: unknown): AttemptOutcome {
  try {
    takeOutput(state, output);
    return { outcome: state.secrets?.outcome({ output }) ?? { output } };
  } catch (error) {
    if (error instanceof StepError) return { error };
    throw error;
  }
}

const callerMissing = () =>
  new StepError(
    'The caller of a run executes local tools, but nobody waits for this run; run the flow through POST /v1/dispatch, or remove the step',
  );
