import * as z from 'zod';
import { listKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { runCanceller } from '../../shared/execution/listed-runs/cancel-run.ts';
import { runFinder } from '../../shared/execution/listed-runs/find-run.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { executesRuns, RunParams } from './schemas.ts';

export const cancelRun = defineEndpoint({
  id: 'runs.cancel',
  method: 'POST',
  path: '/v1/runs/{id}/cancel',
  permission: executesRuns,
  summary: 'Cancel a run',
  description:
    'Cancels a run of any kind. What runs at the moment is aborted within seconds; records of a batch that run still finish. 409 if the run is over. What a tool or a step has already sent is not undone.',
  params: RunParams,
  response: {
    kind: 'json',
    bodies: {
      200: z
        .object({ id: z.string(), status: z.literal('cancelled') })
        .meta({ examples: [{ id: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn', status: 'cancelled' }] }),
    },
  },
  errors: [400, 404, 409],
  needs: { find: runFinder, cancel: runCanceller },

  async handle({ params: { id }, permissions }, { find, cancel }) {
    await cancel(await find(id, listKinds(await permissions(), 'EXECUTE')));
    return { id, status: 'cancelled' as const };
  },
});

export const handler = toLambda(cancelRun);
