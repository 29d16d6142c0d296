import { deriveId } from '../../../shared/core/ids.ts';
import { hourMarks } from '../../../shared/domain/runs/hour-marks.ts';
import { type Run, type RunKind, runEntity } from '../../../shared/domain/runs/run.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';

const prefixes = { batch: 'batch', flow: 'exec', agent: 'exec', tool: 'toolrun' } as const satisfies Record<
  RunKind,
  string
>;

let made = 0;

type Given = Partial<Omit<Run, 'startedAt' | 'completedAt'>> & { startedAt: number; completedAt?: number };

/** A run as its row. */
export function runRow({ startedAt, completedAt, kind = 'flow', ...given }: Given): Run {
  return {
    id: deriveId(prefixes[kind], startedAt, 'run-row', made++, process.pid, Math.random()),
    kind,
    name: `A ${kind}`,
    status: completedAt === undefined ? 'running' : 'completed',
    trigger: { type: 'api' },
    startedAt: new Date(startedAt).toISOString(),
    ...(completedAt !== undefined && { completedAt: new Date(completedAt).toISOString() }),
    ...given,
  };
}

/** Stores rows as ended runs do: first the mark of the hour, then the row. */
export async function storeRuns(scope: Scope, runs: readonly Run[]): Promise<void> {
  const mark = hourMarks(scope);
  for (const { completedAt } of runs) if (completedAt) await mark(completedAt);
  for (const run of runs) await scope.table.commit([scope.table.writes.put(runEntity, run)]);
}
