import * as z from 'zod';
import { missingPermission } from '../../shared/core/errors/errors.ts';
import { runFeedbackStore } from '../../shared/domain/feedback/run-feedback-store.ts';
import { listKinds, toKindPermission } from '../../shared/domain/runs/kind-permissions.ts';
import { runFinder } from '../../shared/execution/listed-runs/find-run.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { executesRuns, RunParams } from '../runs/schemas.ts';
import { checkPlace } from './check-place.ts';
import { RunFeedbackBody } from './schemas.ts';

export const createRunFeedback = defineEndpoint({
  id: 'run-feedback.create',
  method: 'POST',
  path: '/v1/runs/{id}/feedback',
  permission: executesRuns,
  summary: 'Give feedback on a run',
  description:
    'On the run, or on a record, a step or a turn of it: a `rating` or a `score`, and what was `expected` with it or alone. `recordId`, `stepId` and `turn` must fit the kind of the run; whether the step or the turn exists is not checked. A run may get any number. Needs EXECUTE of the kind of the run: FLOWS for flows and batches, AGENTS, TOOLS. Deleted with the run.',
  params: RunParams,
  body: RunFeedbackBody,
  response: {
    kind: 'json',
    bodies: {
      201: z.object({ id: z.string() }).meta({
        id: 'CreatedRunFeedback',
        examples: [{ id: 'feedback_01k9m4v7d3x8qz5w2r6t0y1hbn' }],
      }),
    },
  },
  errors: [400, 404],
  needs: { findRun: runFinder, feedback: runFeedbackStore },

  async handle({ params: { id: runId }, body, principal, permissions }, { findRun, feedback }) {
    const held = await permissions();
    const executable = listKinds(held, 'EXECUTE');
    const run = await findRun(runId, [...executable, ...listKinds(held, 'READ')]);
    if (!executable.includes(run.kind)) throw missingPermission(toKindPermission(run.kind, 'EXECUTE'));
    checkPlace(run, body);
    const { kind, flowId, agentId, toolId, ttl } = run;
    const { userId, keyId } = principal;
    const by = keyId ? { source: 'key' as const, apiKeyId: keyId } : { source: 'user' as const };
    return {
      id: await feedback.create({ ...body, runId, kind, flowId, agentId, toolId, ttl, userId, ...by }),
    };
  },
});

export const handler = toLambda(createRunFeedback);
