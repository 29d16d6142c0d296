import * as z from 'zod';
import { conflict } from '../../shared/core/errors/errors.ts';
import { assertOfAgent } from '../../shared/execution/agent-runs/execution-details.ts';
import { findExecution } from '../../shared/execution/agent-runs/run-log.ts';
import { endRun } from '../../shared/execution/agent-runs/sweep-runs.ts';
import { using } from '../../shared/platform/aws/uses.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ExecutionParams } from './schemas.ts';

const runEnder = using([endRun], (scope: Scope) => scope);

export const cancelAgentExecution = defineEndpoint({
  id: 'agent-runs.cancel',
  method: 'POST',
  path: '/v1/agents/{id}/executions/{executionId}/cancel',
  permission: 'AGENTS:EXECUTE',
  summary: 'Cancel a run of an agent',
  description:
    'Also cancels the runs of its sub-agents. A model call or a tool that is running is aborted within seconds. 409 if the run is over.',
  params: ExecutionParams,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({ success: z.boolean(), executionId: z.string(), status: z.literal('cancelled') }).meta({
        examples: [{ success: true, executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn', status: 'cancelled' }],
      }),
    },
  },
  errors: [400, 404, 409],
  needs: { scope: runEnder },

  async handle({ params: { id, executionId } }, { scope }) {
    assertOfAgent(id, await findExecution(scope, executionId));
    const error = 'The run was cancelled';
    if (!(await endRun(scope, executionId, { stopReason: 'cancelled', error }))) {
      throw conflict('The execution is over');
    }
    return { success: true, executionId, status: 'cancelled' as const };
  },
});

export const handler = toLambda(cancelAgentExecution);
