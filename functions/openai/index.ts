import type { Group } from '../../shared/platform/http/group.ts';
import { completeOpenAiChat } from './complete-chat.ts';

export const openAiGroup = {
  description: 'Call models, flows and agents with the packages of OpenAI.',
  endpoints: [completeOpenAiChat],
} as const satisfies Group;
