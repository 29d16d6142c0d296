import type { Api } from '../../api/api.ts';
import { classifyRecords } from '../classify-records.ts';
import { createRecords } from './create-from-template.ts';
import { Undoable } from './undoable.ts';

/** Creates the sample records of a template. @returns their type */
export async function loadSamples(call: Api['call']): Promise<string> {
  const types: Record<string, string> = {};
  const undoable = new Undoable();
  try {
    for (const sample of classifyRecords.records)
      await createRecords(call, sample, { recordIds: [], types }, undoable);
  } catch (error) {
    await undoable.undo();
    throw error;
  }
  return Object.values(types)[0] ?? '';
}
