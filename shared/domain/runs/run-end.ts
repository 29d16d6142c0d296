import type { Scope } from '../../platform/data/scope.ts';
import type { EndNotice } from '../deliveries/end-notice.ts';
import { hourMarks } from './hour-marks.ts';
import { endedRunWrite, type NewRun, type RunEnding } from './run-list.ts';

/** What follows from the end of a run: its place in the list, its numbers, and whoever is told. */
export async function runEnd(
  scope: Pick<Scope, 'table' | 'now' | 'newId'>,
  run: NewRun,
  ending: RunEnding,
): Promise<EndNotice> {
  await hourMarks(scope)(ending.at);
  return { writes: [endedRunWrite(scope, run, ending)], send: async () => {} };
}
