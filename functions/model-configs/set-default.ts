import * as z from 'zod';
import { modelConfigs } from '../../shared/domain/model-configs/config-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConfigParams, ModelConfigResponse } from './schemas.ts';

export const setDefaultModelConfig = defineEndpoint({
  id: 'model-configs.set-default',
  method: 'PATCH',
  path: '/v1/model-configs/{id}/default',
  permission: 'MODELS:WRITE',
  summary: 'Make a model config the default',
  description: 'Of several concurrent requests, the last one decides. 400 if the config is disabled.',
  params: ConfigParams,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ success: z.boolean(), message: z.string(), data: ModelConfigResponse }) },
  },
  errors: [400, 404, 409],
  needs: { configs: modelConfigs },

  async handle({ params, principal }, { configs }) {
    const data = await configs.update(principal, params.id, { isDefault: true });
    return { success: true, message: `${data.displayName} is the default model`, data };
  },
});

export const handler = toLambda(setDefaultModelConfig);
