import type { Context, SQSEvent } from 'aws-lambda';
import { runWithLogFields } from '../../shared/core/invocation.ts';
import { AgentRunMessage, agentRunQueue } from '../../shared/domain/agents/agent-run-queue.ts';
import { toAgentListing } from '../../shared/execution/agent-runs/agent-execution.ts';
import { runInBackground } from '../../shared/execution/agent-runs/background-run.ts';
import { openPorts } from '../../shared/execution/open-ports.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

/** Reserved to record facts and to hand the run over, before Lambda ends the process. */
const reserveMs = 15_000;

export const requirements = combineRequirements(
  openPorts,
  agentRunQueue,
  'places:agents',
  'table:write',
  'table:delete',
  'payloads:read',
  'payloads:write',
);

/**
 * Runs agents in the background, from their last fact. During a DynamoDB outage the worker waits instead of failing. A
 * run that takes longer than an invocation is handed over to the next.
 */
async function handle(event: SQSEvent, context: Context): Promise<void> {
  for (const { message } of parseMessages(AgentRunMessage, event)) {
    const remainingMs = Math.max(1, context.getRemainingTimeInMillis() - reserveMs);
    const scope = productionRuntime().scopeOf(message.tenant, AbortSignal.timeout(remainingMs));
    await runWithLogFields({ tenant: message.tenant, executionId: message.executionId }, () =>
      runInBackground(scope, message.executionId, {
        timeMs: remainingMs,
        waits: message.waits ?? 0,
        portsFor: (execution) =>
          openPorts(scope, {
            ...execution,
            runId: execution.id,
            listing: toAgentListing(execution),
            isBatch: true,
          }),
      }),
    );
  }
}

export const handler = toWorker('run-agent', handle);
