import * as z from 'zod';
import { modelConfigs } from '../../shared/domain/model-configs/config-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConfigParams } from './schemas.ts';

export const deleteModelConfig = defineEndpoint({
  id: 'model-configs.delete',
  method: 'DELETE',
  path: '/v1/model-configs/{id}',
  permission: 'MODELS:WRITE',
  summary: 'Delete a model config',
  description:
    'Runs that name it fail. If it was the default, the longest-existing enabled config becomes the default.',
  params: ConfigParams,
  response: { kind: 'json', bodies: { 204: z.void() } },
  errors: [400, 404, 409],
  needs: { configs: modelConfigs },
  handle: ({ params, principal }, { configs }) => configs.remove(principal, params.id),
});

export const handler = toLambda(deleteModelConfig);
