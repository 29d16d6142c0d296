import { StepError } from '../../../shared/core/errors/step-error.ts';

/** The StepError that some work fails with. */
export async function stepFailure(running: Promise<unknown>): Promise<StepError> {
  try {
    await running;
  } catch (error) {
    if (error instanceof StepError) return error;
    throw error;
  }
  throw new Error('It did not fail');
}
