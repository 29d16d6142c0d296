import type { Payer } from '../../adapters/ports/payer.ts';
import { StepError, type StepErrorCode } from '../../core/errors/step-error.ts';
import type { Variables } from '../../core/variables.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import type { StepRun } from './step-runner.ts';

/** A list of steps that a step runs. */
export interface ListRun {
  /** Its name in the paths of the results: `b0`, `i17`, `p3`. */
  key: string;
  steps: readonly FlowStep[];
  /** Variables that its steps see beside those of the step, or instead of them. */
  inputs: Variables;
  /**
   * `around`: what its steps set is set for the step too. `own`: it is for them alone. `closed`: they also see nothing but
   * what is given.
   */
  scope: 'around' | 'own' | 'closed';
  /** On whose account its steps call models, beside the run's. */
  payer?: Payer;
  /** Whether the step goes on if the list fails. */
  absorbs: boolean;
  /** Aborted when the list is to stop. Default: with the step. */
  signal?: AbortSignal;
}

/** Of the step because of which a list failed. */
export interface InsideFailure {
  error?: string;
  retryable?: boolean;
  errorCode?: StepErrorCode;
}

export type ListOutcome =
  /** `output` is that of its last step, `own` what its steps have set, `variables` all that they see. */
  | { status: 'completed'; output: unknown; assigned: Variables; variables: Variables }
  | { status: 'failed'; failure: InsideFailure }
  | { status: 'waiting' };

/** How a step runs the lists that it holds. */
export interface Inside {
  run: (list: ListRun) => Promise<ListOutcome>;
  /** For lists that run at once: up to `atOnce`, as far as the other lists of the run leave room. */
  forEach: <T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<void>) => Promise<void>;
  /** What `keep` was given in an earlier attempt of the run. */
  kept: () => unknown;
  /** Stores what the step must know again, if the run is suspended or its process dies. */
  keep: (value: unknown) => void;
  /** Whether a step of the list has ended before, or waits since an earlier attempt of the run. */
  hasBegun: (key: string) => boolean;
}

/** A step that fails because a list in it did. @param what "The branch left", for example. */
export const createInsideError = (what: string, { error, retryable, errorCode }: InsideFailure) =>
  new StepError(`${what} failed: ${error}`, {
    ...(retryable !== undefined && { retryable }),
    ...(errorCode && { code: errorCode }),
  });

export type StepInside<Config> = StepRun<Config> & { inside: Inside };

/** Stops what runs beside a failure. */
export interface FailureStop {
  signal: AbortSignal;
  /** The first failure. */
  readonly cause: StepError | undefined;
  stop: (cause: StepError) => void;
  /** Does work unless it is stopped, and ignores that it is. What else goes wrong in it is thrown. */
  runUnlessStopped: (work: () => Promise<void>) => Promise<void>;
}

export function openStop(around: AbortSignal): FailureStop {
  const controller = new AbortController();
  let first: StepError | undefined;
  return {
    signal: AbortSignal.any([around, controller.signal]),
    get cause() {
      return first;
    },
    stop(cause) {
      first ??= cause;
      controller.abort(new Error(`Stopped: ${first.message}`));
    },
    async runUnlessStopped(work) {
      if (first) return;
      try {
        await work();
      } catch (error) {
        if (!first || error !== controller.signal.reason) throw error;
      }
    },
  };
}
