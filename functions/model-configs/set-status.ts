import * as z from 'zod';
import { modelConfigs } from '../../shared/domain/model-configs/config-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConfigParams } from './schemas.ts';

export const setModelConfigStatus = defineEndpoint({
  id: 'model-configs.set-status',
  method: 'PATCH',
  path: '/v1/model-configs/{id}/status',
  permission: 'MODELS:WRITE',
  summary: 'Enable or disable a model config',
  description:
    'Runs that name a disabled config fail. Disabling the default makes the longest-existing enabled config the default; 400 if there is none.',
  params: ConfigParams,
  body: z.strictObject({ isEnabled: z.boolean() }).meta({ examples: [{ isEnabled: false }] }),
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean(), message: z.string() }) } },
  errors: [400, 404, 409],
  needs: { configs: modelConfigs },

  async handle({ params, body, principal }, { configs }) {
    const { displayName, isEnabled } = await configs.update(principal, params.id, body);
    return { success: true, message: `${displayName} is ${isEnabled ? 'enabled' : 'disabled'}` };
  },
});

export const handler = toLambda(setModelConfigStatus);
