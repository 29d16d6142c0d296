import * as z from 'zod';
import { missingPermission, notFound } from '../../shared/core/errors/errors.ts';
import { runFeedbackStore } from '../../shared/domain/feedback/run-feedback-store.ts';
import { runFinder } from '../../shared/domain/runs/find-run.ts';
import { kindPermission, readableKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { covers } from '../../shared/platform/identity/permissions.ts';
import { FeedbackBody, RunParams } from './schemas.ts';

export const createRunFeedback = defineEndpoint({
  id: 'run-feedback.create',
  method: 'POST',
  path: '/v1/runs/{id}/feedback',
  permission: ['FLOWS:EXECUTE', 'AGENTS:EXECUTE', 'TOOLS:EXECUTE'],
  summary: 'Give feedback on a run',
  description:
    'On the run, or on a record, a step or a turn of it: a `rating` or a `score`, and what was `expected` with it or alone. A run may get any number. Needs EXECUTE of the kind of the run: FLOWS for flows and batches, AGENTS, TOOLS. Deleted with the run.',
  params: RunParams,
  body: FeedbackBody,
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
    const run = await findRun(runId);
    const held = await permissions();
    const needed = run && kindPermission(run.kind, 'EXECUTE');
    const isAllowed = needed && covers(held, needed);
    if (!run || !needed || !(isAllowed || readableKinds(held).includes(run.kind))) throw notFound('Run');
    if (!isAllowed) throw missingPermission(needed);
    const { kind, flowId, agentId, toolId } = run;
    const { userId, keyId } = principal;
    const by = keyId ? { source: 'key' as const, apiKeyId: keyId } : { source: 'user' as const };
    return { id: await feedback.create({ ...body, runId, kind, flowId, agentId, toolId, userId, ...by }) };
  },
});

export const handler = toLambda(createRunFeedback);
