import { modelConfigs } from '../../shared/domain/model-configs/config-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { CreateConfigBody, ModelConfigResponse } from './schemas.ts';

export const createModelConfig = defineEndpoint({
  id: 'model-configs.create',
  method: 'POST',
  path: '/v1/model-configs',
  permission: 'MODELS:WRITE',
  summary: 'Create a model config',
  description:
    'Flows name the config by its id, or as `default`. The first config becomes the default. A model that the catalog does not list needs `settings.customModel` with its prices, except with the provider `generic-openai`. 409 if the tenant has 200 configs.',
  body: CreateConfigBody,
  response: { kind: 'json', bodies: { 201: ModelConfigResponse } },
  errors: [400, 409],
  needs: { configs: modelConfigs },
  handle: ({ body, principal }, { configs }) => configs.create(principal, body),
});

export const handler = toLambda(createModelConfig);
