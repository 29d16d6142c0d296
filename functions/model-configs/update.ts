import { modelConfigs } from '../../shared/domain/model-configs/config-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConfigParams, ModelConfigResponse, UpdateConfigBody } from './schemas.ts';

export const updateModelConfig = defineEndpoint({
  id: 'model-configs.update',
  method: 'PUT',
  path: '/v1/model-configs/{id}',
  permission: 'MODELS:WRITE',
  summary: 'Change a model config',
  description:
    'Missing members stay unchanged; `settings` are replaced as a whole, of `limits` the members that are sent; null lifts one, and a change holds within seconds. Disabling the default makes the longest-existing enabled config the default; 400 if there is none. `providerKeyId: null` returns to the usual order of keys.',
  params: ConfigParams,
  body: UpdateConfigBody,
  response: { kind: 'json', bodies: { 200: ModelConfigResponse } },
  errors: [400, 404, 409],
  needs: { configs: modelConfigs },
  handle: ({ params, body, principal }, { configs }) => configs.update(principal, params.id, body),
});

export const handler = toLambda(updateModelConfig);
