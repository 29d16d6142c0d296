import * as z from 'zod';
import { verifiedCredential } from '../../shared/platform/auth/optional-credential.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ModelName } from '../../shared/protocols/openai/chat/chat-request.ts';
import { openAiErrorBody } from '../../shared/protocols/openai/error-form.ts';
import { listedModels, OpenAiModel } from '../../shared/protocols/openai/models/listed-models.ts';

export const getOpenAiModel = defineEndpoint({
  id: 'openai.get-model',
  method: 'GET',
  path: '/v1/openai/models/{model+}',
  errorBody: openAiErrorBody,
  credential: verifiedCredential,
  permission: ['FLOWS:EXECUTE', 'AGENTS:EXECUTE'],
  summary: 'Get a model, a flow or an agent, in the form of OpenAI',
  description:
    'Whether the member `model` of requests may have this value. All names are taken that requests take, whether they are listed or not; slashes may be encoded or not.',
  params: z.object({ model: ModelName.meta({ example: 'default' }) }),
  response: { kind: 'json', bodies: { 200: OpenAiModel } },
  errors: [400, 404],
  statuses: { 404: '`model_not_found`: no such model, flow or agent' },
  needs: { models: listedModels },

  handle: async ({ params: { model }, permissions }, { models }) => models.find(await permissions(), model),
});

export const handler = toLambda(getOpenAiModel);
