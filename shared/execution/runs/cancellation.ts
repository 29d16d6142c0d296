import { log } from '../../core/log.ts';
import { type Run, runEntity } from '../../domain/runs/run.ts';
import { runCancelled } from '../../domain/runs/run-list.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** Why a run is aborted that somebody has cancelled. */
export class RunCancelled extends DOMException {
  constructor() {
    super(runCancelled, 'AbortError');
  }
}

/** How often the process of a run looks whether somebody has cancelled it. */
const lookMs = 1_000;

/** A signal that is aborted when somebody cancels the run, as long as the watch is not disposed of. */
export function watchCancellation({ table }: Pick<Scope, 'table'>, { id }: Pick<Run, 'id'>) {
  const cancelled = new AbortController();
  const look = async () => {
    try {
      const run = await table.get(runEntity, { id });
      if (run?.status !== 'cancelled') return;
      clearInterval(timer);
      cancelled.abort(new RunCancelled());
    } catch (error) {
      log.warn('It is unknown whether a run was cancelled', { error });
    }
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return { signal: cancelled.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
