import { versionFinder } from '../../shared/domain/flows/version-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { FlowVersionParams, FlowVersionResponse, toFlowVersionResponse } from './schemas.ts';

export const getFlowVersion = defineEndpoint({
  id: 'flow-versions.get',
  method: 'GET',
  path: '/v1/flow-versions/{flowId}/{versionId}',
  permission: 'FLOWS:READ',
  summary: 'Get a version of a flow',
  params: FlowVersionParams,
  response: { kind: 'json', bodies: { 200: FlowVersionResponse } },
  errors: [400, 404],
  needs: { versions: versionFinder },
  handle: async ({ params }, { versions }) =>
    toFlowVersionResponse(await versions.get(params.flowId, params.versionId)),
});

export const handler = toLambda(getFlowVersion);
