import { runEnd } from '../../domain/runs/run-end.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { EndFact } from '../agent-loop/facts.ts';
import { endFact } from '../agent-loop/state.ts';
import { childrenPartition, isExecutionOver } from './executions/agent-execution.ts';
import { RunLost } from './log/run-journal.ts';
import { loadRun, reloadRun } from './log/run-log.ts';
import { appendTo } from './take-run.ts';

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
        await appendTo(scope, run, [endFact(run.state, ending, scope.now())]);
        break;
      } catch (error) {
        // Its process recorded a fact at the same time.
        if (!(error instanceof RunLost) || attempt === attemptsMax) throw error;
        run = await reloadRun(scope, run);
      }
    }
    await endChildren(scope, executionId, ending);
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
