import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { flowFinder } from '../../shared/domain/flows/flow-store.ts';
import {
  StepResultPage,
  StepResultQuery,
  stepResultStore,
} from '../../shared/execution/runs/list-step-results.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { FlowParams } from './response-schemas.ts';

export const listFlowStepResults = defineEndpoint({
  id: 'flows.step-results',
  method: 'GET',
  path: '/v1/flows/{id}/step-results',
  permission: 'FLOWS:READ',
  summary: 'List the step results of a flow',
  description:
    'Returns the newest run first by default. Sorting by a field other than `createdAt` reads all matching results. A page holds up to 5 MB and may end early: continue at offset + returned.',
  params: FlowParams,
  query: StepResultQuery.extend({
    recordId: resourceId('record').optional(),
    batchId: resourceId('batch').optional(),
    stepId: z.string().max(128).optional(),
  }),
  response: { kind: 'json', bodies: { 200: StepResultPage } },
  errors: [400, 404],
  needs: { flows: flowFinder, results: stepResultStore },

  async handle({ params: { id }, query }, { flows, results }) {
    const [page] = await Promise.all([results.listByFlow(id, query), flows.find(id)]);
    return page;
  },
});

export const handler = toLambda(listFlowStepResults);
