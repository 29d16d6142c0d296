import type { RecordsPort } from '../../adapters/ports/records-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import type { Variables } from '../../core/variables/variables.ts';

/** Merges the output variables of a run into its record. @returns the reason if that failed. */
export async function appendOutputs(
  records: RecordsPort,
  recordId: string,
  outputs: Variables,
): Promise<string | undefined> {
  try {
    const record = await records.update({ id: recordId }, outputs, 'merge');
    return record ? undefined : failed('The record was deleted');
  } catch (error) {
    if (error instanceof StepError) return failed(error.message);
    throw error;
  }
}

const failed = (reason: string) => `The output variables could not be appended to the record: ${reason}`;
