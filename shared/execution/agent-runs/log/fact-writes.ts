import { runQuestionNotice } from '../../../domain/a2a-tasks/task-notice.ts';
import { bothNotices, type EndNotice, noNotice } from '../../../domain/deliveries/end-notice.ts';
import { runEnd } from '../../../domain/runs/run-end.ts';
import { statusWrite } from '../../../domain/runs/run-list.ts';
import { runNotice } from '../../../domain/runs/run-notice.ts';
import type { RunUse } from '../../../domain/runs/run-use.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import type { Fact } from '../../agent-loop/facts.ts';
import type { RunState } from '../../agent-loop/state.ts';
import {
  type AgentExecution,
  continuedWrite,
  endedWrite,
  endingOfAgent,
  endStatus,
  pausedWrite,
  runOfAgent,
} from '../executions/agent-execution.ts';

/** What the execution says after the last of some facts. */
export function executionWrites(
  scope: Scope,
  execution: AgentExecution,
  last: Fact,
  { state, activeMs }: { state: RunState; activeMs: number },
): Write[] {
  if (last.type === 'end') return [endedWrite(scope, execution, last, state)];
  if (last.type === 'pause') return [pausedWrite(scope, execution, last, activeMs)];
  if (last.type === 'continue') return [continuedWrite(scope, execution, execution.holder)];
  return [];
}

/** Who hears of a fact. Runs inside of others have no webhook. */
export async function factNotice(
  scope: Scope,
  execution: AgentExecution,
  last: Fact,
  { state, use }: { state: RunState; use: RunUse },
): Promise<EndNotice> {
  if (last.type === 'continue') return listedAs(scope, execution, 'running');
  if (last.type !== 'end' && last.type !== 'pause') return noNotice;
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
    ? { ...noNotice, writes: [statusWrite(scope, execution, status)] }
    : noNotice;
