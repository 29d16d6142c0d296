import type { Client } from '../../../../packages/client/src/client.ts';
import { sampleTickets } from '../sample-tickets.ts';
import { createSampleRecords } from './create-records.ts';
import { Undoable } from './undoable.ts';

/** Creates the sample tickets. @returns their type */
export async function loadSamples(api: Client): Promise<string> {
  const types: Record<string, string> = {};
  const undoable = new Undoable();
  try {
    await createSampleRecords(api, sampleTickets, { recordIds: [], types }, undoable);
  } catch (error) {
    await undoable.undo();
    throw error;
  }
  return types[sampleTickets.type] ?? '';
}
