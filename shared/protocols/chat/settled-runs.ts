import { sessionRuns } from '../../domain/client-sessions/client-session.ts';
import type { AgentExecution } from '../../execution/agent-runs/agent-execution.ts';
import { loadRun } from '../../execution/agent-runs/run-log.ts';
import { endRun } from '../../execution/agent-runs/sweep-runs.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { conversationMessages } from './conversation-messages.ts';
import { answerText, interruption } from './events/client-events.ts';

/** Looks after runs whose request does not: its process died, or another request continued the run. */
export const settledRuns = /* @__PURE__ */ using(
  [sessionRuns, conversationMessages, endRun],
  (scope: Scope) => {
    /** Adds a complete agent's answer. @returns the run's state; undefined for a flow. @throws 404 if the run is gone. */
    async function settle(hash: string, executionId: string): Promise<AgentExecution['status'] | undefined> {
      const run = await sessionRuns(scope).find(hash, executionId);
      if (run?.target.kind !== 'agent') return undefined;
      const { execution, state } = await loadRun(scope, executionId);
      if (execution.status === 'completed' && state.end) {
        await conversationMessages(scope).addLateAnswer(run, answerText(state.end.output), state.totals);
      }
      return execution.status;
    }

    return {
      settle,

      /** Also ends a run that goes on. The process of a flow notices that it lost its turn. @throws 404 */
      async replace(hash: string, executionId: string): Promise<void> {
        const status = await settle(hash, executionId);
        if (status !== 'running') return;
        await endRun(scope, executionId, { stopReason: 'cancelled', error: interruption });
      },
    };
  },
);
