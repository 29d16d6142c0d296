import * as z from 'zod';
import { modelConfigs } from '../../shared/domain/model-configs/config-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ModelConfigResponse } from './schemas.ts';

export const listModelConfigs = defineEndpoint({
  id: 'model-configs.list',
  method: 'GET',
  path: '/v1/model-configs',
  permission: 'MODELS:READ',
  summary: 'List model configs',
  description:
    'Returns the models that the tenant chose, oldest first. One of them is the default. If there is none yet, the first request creates it: the first model of the catalog for which there is a key.',
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(ModelConfigResponse), total: z.int() }) },
  },
  errors: [409],
  needs: { configs: modelConfigs },

  async handle({ principal }, { configs }) {
    const data = await configs.list(principal);
    return { data, total: data.length };
  },
});

export const handler = toLambda(listModelConfigs);
