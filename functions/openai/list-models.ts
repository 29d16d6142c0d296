import { verifiedCredential } from '../../shared/platform/auth/optional-credential.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { openAiErrorBody } from '../../shared/protocols/openai/error-form.ts';
import {
  listedMax,
  listedModels,
  OpenAiModelList,
} from '../../shared/protocols/openai/models/listed-models.ts';

export const listOpenAiModels = defineEndpoint({
  id: 'openai.list-models',
  method: 'GET',
  path: '/v1/openai/models',
  errorBody: openAiErrorBody,
  credential: verifiedCredential,
  permission: ['FLOWS:EXECUTE', 'AGENTS:EXECUTE'],
  summary: 'List models, flows and agents, in the form of OpenAI',
  description: `What the member \`model\` of requests may name: \`default\`, the models of configs and of the catalog that have a key, and the newest ${listedMax} agents and flows by their names, as far as the credential may run them. Ids of model configs, flows and agents are names too.`,
  response: { kind: 'json', bodies: { 200: OpenAiModelList } },
  needs: { models: listedModels },

  async handle({ permissions }, { models }) {
    return { object: 'list' as const, data: await models.list(await permissions()) };
  },
});

export const handler = toLambda(listOpenAiModels);
