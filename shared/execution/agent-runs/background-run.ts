import type { Ports } from '../../adapters/ports/ports.ts';
import { ifMissing } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { agentRunQueue } from '../../domain/agents/agent-run-queue.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { acquirePlace, type Pool, placeDelaySeconds } from '../../platform/tenant-pools.ts';
import {
  type AgentExecution,
  isExecutionOver,
  postponeRunSweep,
  releaseRun,
  resentAfterMs,
} from './agent-execution.ts';
import { executeAgentRun } from './execute-agent-run.ts';
import { findOutermost, isWaiting } from './inside-waits.ts';
import { RunLost } from './run-journal.ts';
import { type LoadedRun, loadInput, loadRun } from './run-log.ts';
import { endRun } from './sweep-runs.ts';
import { acquireLease, appendFacts } from './take-run.ts';

/** A run that makes its process crash must not do so for ever. */
const restartsMax = 20;

export const workerPlaces: Pool = { name: 'agents', variable: 'AGENTS_TENANT_PLACES' };

interface BackgroundOptions {
  timeMs: number;
  portsFor: (execution: AgentExecution) => Ports;
}

/** Does nothing for a run that another process has, that waits for an answer or that is over. */
export async function runInBackground(
  scope: Scope,
  executionId: string,
  { waits = 0, ...options }: BackgroundOptions & { waits?: number },
): Promise<void> {
  const loaded = await loadRun(scope, executionId).catch(ifMissing(undefined));
  if (!loaded) return;
  // A flow inside of it has ended: it goes on with the agents around it.
  const { id } = await findOutermost(scope, loaded.execution);
  if (id !== executionId) return runInBackground(scope, id, { waits, ...options });
  if (!(await isToRun(scope, loaded))) return;
  const place = await acquirePlace(scope, workerPlaces);
  if (!place) return waitForPlace(scope, loaded.execution, waits);
  try {
    const run = await acquireRun(scope, loaded);
    if (run) await continueRun(scope, run, options);
  } finally {
    await place.release();
  }
}

async function continueRun(
  scope: Scope,
  run: AcquiredRun,
  { timeMs, portsFor }: BackgroundOptions,
): Promise<void> {
  const { execution } = run;
  const executionId = execution.id;
  if (execution.restarts > restartsMax) {
    const error = `The run was interrupted ${restartsMax} times`;
    return void (await endRun(scope, executionId, { stopReason: 'error', error }));
  }
  const loaded = await loadInput(scope, execution).catch(ifMissing(undefined));
  if (!loaded) {
    const error = 'The agent was deleted';
    return void (await endRun(scope, executionId, { stopReason: 'error', error }));
  }
  const stop = AbortSignal.timeout(timeMs);
  const began = performance.now();
  const getActiveMs = () => execution.activeMs + Math.round(performance.now() - began);
  // A run in front of a caller goes on in the background if an approval came too late.
  const background = { ...execution, background: true };
  const ports = portsFor(execution);
  const continued = { ...run, ...loaded, execution: background, sentSeq: run.log.at(-1)?.lastSeq ?? -1 };
  try {
    for await (const _event of executeAgentRun(scope, continued, {
      ports,
      streamed: true,
      isUnread: true,
      stopSignal: stop,
    })) {
      // Readers follow its log.
    }
  } catch (error) {
    if (error instanceof RunLost) {
      if (!stop.aborted) return log.info('Another process has the run');
      log.info('The run is handed over to another invocation');
      await releaseRun(scope, execution, getActiveMs(), true);
      await agentRunQueue(scope).send(executionId);
    } else {
      await releaseRun(scope, execution, getActiveMs());
      throw error;
    }
  }
}

interface AcquiredRun extends LoadedRun {
  mayHaveBegun: boolean;
  isTakenOver?: boolean;
}

/** Whether the run waits for a process, as far as is known. */
async function isToRun(scope: Scope, run: LoadedRun): Promise<boolean> {
  const { execution } = run;
  if (execution.status === 'paused') return !(await isWaiting(scope, run));
  const isFree = execution.holder === '' || Date.parse(execution.leaseUntil) <= scope.now().getTime();
  return !isExecutionOver(execution) && isFree;
}

/** Whether no process has had the run. */
const isNew = ({ execution: { holder, restarts, activeMs }, log: entries }: LoadedRun): boolean =>
  holder === '' && restarts === 0 && activeMs === 0 && entries.length === 0;

/** Asks for the run again later. The sweep would only add another message. */
async function waitForPlace(scope: Scope, execution: AgentExecution, waits: number): Promise<void> {
  const delaySeconds = placeDelaySeconds(waits);
  log.info('The run waits for one of its tenant to end', { waits });
  await agentRunQueue(scope).send(execution.id, { delaySeconds, waits: waits + 1 });
  const sweepAt = new Date(scope.now().getTime() + delaySeconds * 1_000 + resentAfterMs);
  await postponeRunSweep(scope, execution, sweepAt.toISOString());
}

async function acquireRun(scope: Scope, run: LoadedRun): Promise<AcquiredRun | undefined> {
  const { execution } = run;
  try {
    if (execution.status === 'paused') {
      const { run: continued } = await appendFacts(scope, run, [
        { type: 'continue', at: scope.now().toISOString() },
      ]);
      return { ...continued, mayHaveBegun: false };
    }
    const holder = scope.newId('hold');
    if (!(await acquireLease(scope, run, holder))) return undefined;
    // The log may have grown until the former process lost the run.
    const current = await loadRun(scope, execution.id);
    if (isExecutionOver(current.execution)) return undefined;
    return { ...current, mayHaveBegun: true, isTakenOver: !isNew(run) };
  } catch (error) {
    if (error instanceof RunLost) return undefined;
    throw error;
  }
}
