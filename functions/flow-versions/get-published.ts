import { versionFinder } from '../../shared/domain/flows/version-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { FlowVersionResponse, FlowVersionsParams, toFlowVersionResponse } from './schemas.ts';

export const getPublishedFlowVersion = defineEndpoint({
  id: 'flow-versions.get-published',
  method: 'GET',
  path: '/v1/flow-versions/{flowId}/published',
  permission: 'FLOWS:READ',
  summary: 'Get the published version of a flow',
  params: FlowVersionsParams,
  response: { kind: 'json', bodies: { 200: FlowVersionResponse } },
  errors: [400, 404],
  needs: { versions: versionFinder },
  handle: async ({ params }, { versions }) => toFlowVersionResponse(await versions.published(params.flowId)),
});

export const handler = toLambda(getPublishedFlowVersion);
