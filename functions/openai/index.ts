import type { EndpointGroup } from '../../shared/platform/http/group.ts';
import { completeOpenAiChat } from './complete-chat.ts';
import { embedForOpenAi } from './embed.ts';
import { listOpenAiModels } from './list-models.ts';
import { respondAsOpenAi } from './respond.ts';

export const openAiGroup = {
  description: 'Call models, flows and agents with the packages of OpenAI.',
  endpoints: [completeOpenAiChat, respondAsOpenAi, embedForOpenAi, listOpenAiModels],
} as const satisfies EndpointGroup;
