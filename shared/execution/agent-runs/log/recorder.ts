import { chunksOf } from '../../../core/chunks.ts';
import { runNotice } from '../../../domain/a2a-tasks/run-notice.ts';
import { runQuestionNotice } from '../../../domain/a2a-tasks/task-notice.ts';
import { bothNotices, type EndNotice, nobody } from '../../../domain/deliveries/end-notice.ts';
import type { ModelCall } from '../../../domain/model-usage/model-calls.ts';
import { usageWrites } from '../../../domain/model-usage/usage.ts';
import { runEnd } from '../../../domain/runs/run-end.ts';
import { statusWrite } from '../../../domain/runs/run-list.ts';
import { mergedUse, type RunUse, runUse } from '../../../domain/runs/run-use.ts';
import { ConditionFailed } from '../../../platform/data/condition-failed.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import type { Fact } from '../../agent-loop/facts.ts';
import type { RunState } from '../../agent-loop/state.ts';
import type { AgentExecution } from '../executions/agent-execution.ts';
import { endingOfAgent, runOfAgent } from '../executions/agent-run-listing.ts';
import { continuedWrite, endedWrite, endStatus, pausedWrite } from '../executions/execution-writes.ts';
import { forgetRun } from './forget-run.ts';
import { type LogEntry, runLog } from './run-log.ts';
import type { TurnNumbers } from './turn-numbers.ts';

/** Somebody else has recorded the next fact: the run was cancelled, or another process continues it. */
export class RunLost extends Error {}

export interface NumberedFact {
  fact: Fact;
  /** The number of the last event that readers get for it. */
  lastSeq: number;
  numbers?: TurnNumbers | undefined;
}

/** Fewer than a transaction takes, for the writes that go with them. */
const factsPerTransaction = 40;

/** Appends the facts of a run to its log, in the transactions that change its execution and count its model calls. */
export function openRecorder(
  scope: Scope,
  execution: AgentExecution,
  earlier: readonly Pick<LogEntry, 'n' | 'use'>[],
) {
  const { holder } = execution;
  const log = runLog(scope);
  let n = (earlier.at(-1)?.n ?? -1) + 1;
  let used = earlier.map(({ use = {} }) => use).reduce(mergedUse, {});

  /** What the execution says after these facts. */
  function ofExecution(facts: readonly Fact[], state: RunState, activeMs: number): Write[] {
    const last = facts.at(-1);
    if (last?.type === 'end') return [endedWrite(scope, execution, last, state)];
    if (last?.type === 'pause') return [pausedWrite(scope, execution, last, activeMs)];
    if (last?.type === 'continue') return [continuedWrite(scope, execution, holder)];
    return [];
  }

  return {
    /**
     * @param state The state after the facts. @param calls The model calls to count. @param alsoWrite With the last fact.
     * @throws RunLost
     */
    async append(
      facts: readonly NumberedFact[],
      {
        state,
        calls = [],
        activeMs = 0,
        alsoWrite = [],
      }: {
        state: RunState;
        calls?: readonly ModelCall[];
        activeMs?: number;
        alsoWrite?: readonly Write[];
      },
    ): Promise<void> {
      const chunks = chunksOf([...facts], factsPerTransaction);
      const last = facts.at(-1)?.fact;
      const use = runUse(calls);
      used = mergedUse(used, use);
      const notice = await noticeOf(scope, execution, last, { state, use: used });
      for (const [index, chunk] of chunks.entries()) {
        const first = n;
        const writes = await Promise.all(
          chunk.map((each, place) => {
            const isLastFact = each.fact === last && calls.length > 0;
            const entry = { ...each, n: first + place, holder, ...(isLastFact && { use }) };
            return log.write(execution.id, entry, execution.ttl);
          }),
        );
        const isLast = index === chunks.length - 1;
        const ended = isLast
          ? ofExecution(
              chunk.map(({ fact }) => fact),
              state,
              activeMs,
            )
          : [];
        const counted = isLast ? usageWrites(scope, [{ flowId: null, calls }]) : [];
        const notices = isLast ? [...(notice?.writes ?? []), ...alsoWrite] : [];
        await commit([...writes, ...ended, ...counted, ...notices], first);
        n += chunk.length;
      }
      if (!execution.isLogged && last?.type === 'end') await forgetRun(scope, execution);
      await notice?.send();
    },
  };

  async function commit(writes: Write[], first: number): Promise<void> {
    try {
      await scope.table.commit(writes);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      // A repeated request finds what the first one wrote.
      const written = await log.get(execution.id, first);
      if (written?.holder !== holder) throw new RunLost(`The run ${execution.id} goes on elsewhere`);
    }
  }
}

/** Runs inside of others have no webhook. */
async function noticeOf(
  scope: Scope,
  execution: AgentExecution,
  last: Fact | undefined,
  { state, use }: { state: RunState; use: RunUse },
): Promise<EndNotice | undefined> {
  if (last?.type === 'continue') return listedAs(scope, execution, 'running');
  if (last?.type !== 'end' && last?.type !== 'pause') return undefined;
  const { id: executionId, parentExecutionId, surface, isLogged } = execution;
  const own = parentExecutionId === null ? surface : undefined;
  if (last.type === 'pause')
    return bothNotices(await runQuestionNotice(scope, own), listedAs(scope, execution, 'paused'));
  const { output, error } = last;
  const [notice, listed] = await Promise.all([
    runNotice(scope, own, { executionId, status: endStatus(last), output, error, isSecret: !isLogged }),
    runEnd(scope, runOfAgent(execution), endingOfAgent(last, state, use)),
  ]);
  return bothNotices(notice, listed);
}

/** A run inside of another is listed at its end. */
const listedAs = (scope: Scope, execution: AgentExecution, status: 'running' | 'paused'): EndNotice =>
  execution.parentExecutionId === null && execution.origin
    ? { ...nobody, writes: [statusWrite(scope, execution, status)] }
    : nobody;
