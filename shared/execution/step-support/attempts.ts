import type { ModelPort } from '../../adapters/ports/model-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { truncate } from '../../core/text.ts';
import { type Attempt, attemptsMax } from '../../domain/flows/steps/attempt.ts';
import type { Fallback } from '../../domain/flows/steps/error-handling.ts';

type Beginning = Pick<Attempt, 'type' | 'model'> & { delayMs?: number | undefined };
interface Result {
  status: 'completed' | 'failed' | 'skipped';
  startedAt: string;
  durationMs: number;
  error?: string;
  attempts?: Attempt[];
}
type Outcome = { error: Error } | { isEmpty: boolean };

/** Records the attempts of a step, or of a response of the model. @param now In Unix milliseconds. @param before What was tried already */
export function openAttempts(now: () => number = Date.now, before: readonly Attempt[] = []) {
  const attempts: Attempt[] = [...before];
  return {
    /** @returns what to call when the attempt has ended. */
    begin({ delayMs, ...how }: Beginning) {
      const since = now();
      return (outcome: Outcome): void => {
        if (attempts.length === attemptsMax) return;
        const durationMs = Math.max(0, Math.round(now() - since));
        const startedAt = new Date(since).toISOString();
        attempts.push({ ...how, ...(delayMs && { delayMs }), startedAt, durationMs, ...toEnd(outcome) });
      };
    },
    /** Those that have ended, and those before. */
    all: (): Attempt[] => [...attempts],
    /** One attempt says no more than the result. */
    made: (): { attempts?: Attempt[] } => (attempts.length > 1 ? { attempts } : {}),
  };
}

/** The attempts of a step result, also if there was one only. */
export function getResultAttempts(result: Result): Attempt[] {
  const { status, attempts, startedAt, durationMs, error } = result;
  if (attempts || status === 'skipped') return attempts ?? [];
  const failure = error === undefined ? {} : { error: shorten(error) };
  return [{ type: 'initial', startedAt, durationMs, status, ...failure }];
}

const toEnd = (outcome: Outcome): Pick<Attempt, 'status' | 'error'> =>
  'error' in outcome
    ? { status: 'failed', error: shorten(outcome.error.message) }
    : { status: outcome.isEmpty ? 'empty' : 'completed' };

/** An attempt of a fallback, which makes one for each of its models. */
export const resultBeginning = (
  { type, delay: delayMs }: Exclude<Fallback, { type: 'message' }>,
  { model }: Record<string, unknown>,
  index: number,
): Beginning => ({
  type,
  ...(typeof model === 'string' && { model }),
  ...(index === 0 && { delayMs }),
});

/** None if the model cannot be resolved: its own error is the one to show. */
export async function listModelAlternatives({ alternatives }: ModelPort, model: string): Promise<string[]> {
  try {
    return await alternatives(model);
  } catch (error) {
    if (error instanceof StepError) return [];
    throw error;
  }
}

export class AttemptsFailed extends StepError {
  readonly attempts: Attempt[];

  constructor({ message, retryable, code, kind, undone, cause }: StepError, attempts: Attempt[]) {
    super(message, { retryable, code, kind, undone, cause });
    this.attempts = attempts;
  }
}

const errorMax = 300;
const shorten = (message: string) => truncate(message, errorMax) + (message.length > errorMax ? '…' : '');
