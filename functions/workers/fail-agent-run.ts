import type { SQSEvent } from 'aws-lambda';
import { runWithLogFields } from '../../shared/core/invocation.ts';
import { log } from '../../shared/core/log.ts';
import { AgentRunMessage } from '../../shared/domain/agents/agent-run-queue.ts';
import { endRun } from '../../shared/execution/agent-runs/sweep-runs.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(endRun);

/** Consumes the dead-letter queue: a run that fails again and again because of an internal error ends. */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of parseMessages(AgentRunMessage, event)) {
    const { tenant, executionId } = message;
    await runWithLogFields({ tenant, executionId }, async () => {
      log.error('A run of an agent arrived in the dead-letter queue');
      const error = 'The run failed again and again because of an internal error';
      await endRun(productionRuntime().scopeOf(tenant), executionId, { stopReason: 'error', error });
    });
  }
}

export const handler = toWorker('fail-agent-run', handle);
