import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { openAiErrorBody } from '../../shared/protocols/openai/error-form.ts';
import { completeOpenAiChat } from './complete-chat.ts';
import { embedForOpenAi } from './embed.ts';
import { getOpenAiModel } from './get-model.ts';
import { listOpenAiModels } from './list-models.ts';
import { respondAsOpenAi } from './respond.ts';

export const openAiGroup = {
  description: 'Call models, flows and agents with the packages of OpenAI.',
  unoffered: { below: '/v1/openai', errorBody: openAiErrorBody },
  endpoints: [completeOpenAiChat, respondAsOpenAi, embedForOpenAi, listOpenAiModels, getOpenAiModel],
} as const satisfies EndpointGroup;
