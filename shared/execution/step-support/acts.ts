/**
 * What acts outside of a run, at most once. An act is a request that may change something. Its key is the same in every
 * attempt, delivery and retry of the run.
 *
 * The order: the mark that the act begins is stored, the act is done, its result is stored with that of the step. A process
 * that dies in between leaves the mark, so whoever goes on with the run knows that nobody knows. It is the same if the other
 * side breaks off, is too slow, or answers 5xx. Such an act is repeated only if the `retry` of its step says `unsafe`, or
 * whoever retries the batch does.
 */
import { StepError } from '../../core/errors/step-error.ts';
import { deriveId, getIdTimeMs } from '../../core/ids.ts';
import { toSortedJson } from '../../core/json/sorted-json.ts';
import { actPath, type RunPath } from '../../domain/flows/steps/run-path.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';

/** Does what acts, with its key. @param request What decides what is done. @throws StepError */
export type Act = <Result>(request: unknown, work: (key: string) => Promise<Result>) => Promise<Result>;

/** What a run knows of its acts. */
export interface ActingRun {
  /** Whose acts they are: the id of the run, or of the one that it continues. */
  identity: string;
  /** The marks of earlier processes, by `actPath`, and what else steps have kept. */
  kept?: ReadonlyMap<string, unknown> | undefined;
  /** Whether what may have been done is done again. */
  repeatsUnsafe?: boolean | undefined;
  /** Stores a mark before it resolves. Absent if nobody goes on with the run when its process dies. */
  onMark?: ((path: string, value: unknown) => Promise<void>) | undefined;
  onKept?: ((path: string, value: unknown) => void) | undefined;
  /** Learns that something was done, or may have been. */
  onActed?: (() => void) | undefined;
}

export interface StepActs {
  act: Act;
  /** A failure of the step, if what it did may stand: its time limit, or an answer that is of no use. */
  failure: (error: StepError) => StepError;
}

/** Of one attempt of a step. */
export function openActs(run: ActingRun, { retry }: FlowStep, path: RunPath): StepActs {
  const repeats = run.repeatsUnsafe || retry?.unsafe === true;
  let mayStand = false;
  return {
    async act(request, work) {
      if (run.kept?.get(actPath(path)) && !repeats) throw createOutcomeUnknownError(interrupted);
      await run.onMark?.(actPath(path), true);
      mayStand = true;
      try {
        const result = await work(actKey(run.identity, path, request));
        run.onActed?.();
        return result;
      } catch (error) {
        const failure = toActFailure(error);
        if (!(failure instanceof StepError) || failure.code === unknown) run.onActed?.();
        else {
          mayStand = false;
          run.onKept?.(actPath(path), false);
        }
        throw failure;
      }
    },
    failure: (error) => (mayStand && !error.code ? createOutcomeUnknownError(error) : error),
  };
}

/** Of whose run it is, where in the run, and what is done. Servers get it as `Idempotency-Key`. */
export const actKey = (identity: string, path: RunPath, request: unknown): string =>
  deriveId('call', getIdTimeMs(identity), identity, path, toSortedJson(request ?? null));

/** The failure of an act: of unknown outcome, unless it says that nothing was done. */
export function toActFailure(error: unknown): unknown {
  const mayBeDone = error instanceof StepError && !error.code && error.retryable && !error.undone;
  return mayBeDone ? createOutcomeUnknownError(error) : error;
}

const unknown = 'OUTCOME_UNKNOWN';
const interrupted = new StepError('The run was interrupted while the step acted', { kind: 'network' });

const createOutcomeUnknownError = ({ message, kind, cause }: StepError) =>
  new StepError(
    `${message}. The outcome is unknown: it may have taken effect, so it is not repeated by itself`,
    { code: unknown, kind, cause },
  );
