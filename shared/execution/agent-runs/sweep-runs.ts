/**
 * Ends or continues runs of agents whose own process does not: cancelled, crashed, waiting too long, or of a deleted
 * agent.
 * `endRun` appends the fact `end` and ends the runs inside; the process of the run notices at its next fact that it
 * lost the run. It is repeated while that process records facts at the same time.
 * The sweep finds runs whose lease or first wait is over: a background run is released and gets a new message, one in
 * front of a caller ends with an error, an approval that is late is decided as a timeout, a late output ends the run.
 * If somebody else is quicker, nothing happens, and the next sweep looks again.
 * Callers: the workers `sweep-agents.ts` and `fail-agent-run.ts`, cancellation, the cleanup of agents (`runRemover`),
 * chats and A2A tasks.
 */
import { isOfEarlierProcess } from '../../core/earlier-process.ts';
import { ifMissing } from '../../core/errors/errors.ts';
import { getIdKind } from '../../core/ids.ts';
import { log } from '../../core/log.ts';
import { agentRunQueue } from '../../domain/agents/agent-run-queue.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { using } from '../../platform/aws/uses.ts';
import { listDue } from '../../platform/cleanup/sweeps.ts';
import { payloadFolders } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { EndFact, Fact } from '../agent-loop/facts.ts';
import { endFact } from '../agent-loop/state.ts';
import {
  type AgentExecution,
  agentExecutionEntity,
  agentRunPartition,
  agentRunSweep,
  childrenPartition,
  isExecutionOver,
  postponeRunSweep,
  releaseRun,
  resentAfterMs,
  runsOfAgentPartition,
} from './agent-execution.ts';
import { insideCanceller, isWaiting } from './inside-waits.ts';
import { RunLost } from './run-journal.ts';
import { type LoadedRun, loadRun, reloadRun } from './run-log.ts';
import { appendFacts } from './take-run.ts';

/** A run of quick tools records a fact every few milliseconds. */
const attemptsMax = 30;

/** Ends the runs inside too. Its process notices that it lost the run. @returns whether it was still open. @throws 404 */
export const endRun = /* @__PURE__ */ using(
  [
    'table:write',
    'table:delete',
    'payloads:read',
    'payloads:write',
    'payloads:delete',
    'queue:deliveries',
    runEnd,
    insideCanceller,
  ],
  async (
    scope: Scope,
    executionId: string,
    ending: Pick<EndFact, 'stopReason' | 'error'>,
  ): Promise<boolean> => {
    let run = await loadRun(scope, executionId);
    for (let attempt = 1; ; attempt++) {
      if (isExecutionOver(run.execution)) return false;
      try {
        await appendFacts(scope, run, [endFact(run.state, ending, scope.now())]);
        break;
      } catch (error) {
        // Its process recorded a fact at the same time.
        if (!(error instanceof RunLost) || attempt === attemptsMax) throw error;
        run = await reloadRun(scope, run);
      }
    }
    await Promise.all([
      endChildren(scope, executionId, ending),
      insideCanceller(scope)(executionId, run.state),
    ]);
    return true;
  },
);

async function endChildren(
  scope: Scope,
  parentId: string,
  ending: Pick<EndFact, 'stopReason' | 'error'>,
): Promise<void> {
  for await (const items of scope.table.pages({ partition: childrenPartition(parentId), index: 2 })) {
    const open = items.filter(({ summary }) => isOpen((summary as { status?: string }).status));
    for (const { SK2 } of open) await endRun(scope, String(SK2), ending);
  }
}

const isOpen = (status: string | undefined) => status === 'running' || status === 'paused';

/** @param atStart Whether only this process runs agents: then earlier runs count as crashed whatever their lease says. */
export const sweepAgentRuns = /* @__PURE__ */ using(
  [agentRunQueue, endRun],
  async ({ scopeOf }: Runtime, now: Date, atStart: boolean): Promise<void> => {
    for await (const page of listDue(scopeOf('').table, agentRunSweep, atStart ? 'all' : now)) {
      for (const { tenant, PK } of page) {
        const executionId = PK.split('#').at(-1) ?? '';
        await sweepRun(scopeOf(tenant), executionId, { now, atStart })
          // The index still has a run that was deleted.
          .catch(ifMissing(undefined))
          .catch((error) => {
            // Its process, or somebody who answered, was quicker. The next sweep looks again.
            if (error instanceof RunLost) return;
            log.error('A run of an agent could not be swept', { error, tenant, executionId });
          });
      }
    }
  },
);

export async function sweepRun(
  scope: Scope,
  executionId: string,
  { now, atStart }: { now: Date; atStart: boolean } = { now: scope.now(), atStart: false },
): Promise<void> {
  const run = await loadRun(scope, executionId);
  const { execution } = run;
  const isDue = Date.parse(execution.leaseUntil) <= now.getTime();
  if (execution.status === 'paused')
    return isDue || !(await isWaiting(scope, run)) ? sweepPaused(scope, run, now) : undefined;
  if (execution.status !== 'running' || !(isDue || (atStart && isOfEarlierProcess(execution, now)))) return;
  if (!execution.background) {
    const error = 'The process of the run crashed before the run ended';
    return void (await endRun(scope, executionId, { stopReason: 'error', error }));
  }
  await releaseRun(scope, execution);
  await resend(scope, execution, now);
}

async function sweepPaused(scope: Scope, run: LoadedRun, now: Date): Promise<void> {
  const { execution, state } = run;
  for (const { runId } of state.waits) if (runId !== undefined) await sweepInside(scope, runId, now);
  const over = state.waits.filter(
    ({ kind, until }) => kind !== 'inside' && Date.parse(until) <= now.getTime(),
  );
  const missing = over.find(({ kind }) => kind === 'output');
  if (missing) {
    const error = `The caller did not send the output of the tool ${missing.toolName} in time`;
    return void (await endRun(scope, execution.id, { stopReason: 'error', error }));
  }
  const at = now.toISOString();
  const facts = over.map(({ approvalId = '', callId }): Fact => {
    return { type: 'decision', approvalId, callId, decision: 'timeout', by: null, at };
  });
  const { run: after } = facts.length > 0 ? await appendFacts(scope, run, facts) : { run };
  if (!(await isWaiting(scope, after))) return resend(scope, execution, now);
  const untils = after.state.waits
    .map(({ until }) => until)
    .filter((until) => Date.parse(until) > now.getTime());
  const soon = new Date(now.getTime() + resentAfterMs).toISOString();
  await postponeRunSweep(scope, execution, untils.sort()[0] ?? soon);
}

/** Runs inside of an agent's are not swept by themselves. */
async function sweepInside(scope: Scope, runId: string, now: Date): Promise<void> {
  const run = await loadRun(scope, runId).catch(ifMissing(undefined));
  if (run?.execution.status !== 'paused') return;
  const { state } = run;
  for (const wait of state.waits) if (wait.runId !== undefined) await sweepInside(scope, wait.runId, now);
  const at = now.toISOString();
  const facts = state.waits
    .filter(({ kind, until }) => kind === 'approval' && Date.parse(until) <= now.getTime())
    .map(({ approvalId = '', callId }): Fact => {
      return { type: 'decision', approvalId, callId, decision: 'timeout', by: null, at };
    });
  if (facts.length > 0) await appendFacts(scope, run, facts);
}

async function resend(scope: Scope, execution: AgentExecution, now: Date): Promise<void> {
  await agentRunQueue(scope).send(execution.id);
  await postponeRunSweep(scope, execution, new Date(now.getTime() + resentAfterMs).toISOString());
}

const runsAtOnce = 100;

/** Removes the executions of a deleted agent with everything in them. Those that are open are cancelled first. */
export const runRemover = /* @__PURE__ */ using([payloadFolders, endRun], (scope: Scope) => {
  const { table } = scope;
  const folders = payloadFolders(scope);

  async function removeRun(id: string): Promise<void> {
    const ending = { stopReason: 'cancelled', error: 'The agent was deleted' } as const;
    const execution = await table.get(agentExecutionEntity, { id }, { consistent: true });
    // Another clean-up may be quicker.
    if (execution && !isExecutionOver(execution)) await endRun(scope, id, ending).catch(ifMissing(false));
    await folders.remove(`agent-runs/${id}`);
    await table.removeRange({ partition: agentRunPartition(id) });
  }

  return async (agentId: string): Promise<void> => {
    const runs = { partition: runsOfAgentPartition(agentId), index: 1, perQuery: runsAtOnce } as const;
    for await (const items of table.pages(runs)) {
      const ids = items.map(({ SK1 }) => String(SK1)).filter((id) => getIdKind(id) === 'exec');
      for (const id of ids) await removeRun(id);
    }
  };
});
