import { flowFinder } from '../../shared/domain/flows/flow-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { FlowParams, FlowResponse, toFlowResponse } from './response-schemas.ts';

export const getFlow = defineEndpoint({
  id: 'flows.get',
  method: 'GET',
  path: '/v1/flows/{id}',
  permission: 'authenticated',
  summary: 'Get a flow',
  params: FlowParams,
  response: { kind: 'json', bodies: { 200: FlowResponse } },
  errors: [400, 404],
  needs: { flows: flowFinder },
  handle: async ({ params, baseUrl }, { flows }) => toFlowResponse(await flows.get(params.id), baseUrl()),
});

export const handler = toLambda(getFlow);
