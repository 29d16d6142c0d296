import * as z from 'zod';

export const PromptCaching = z.enum(['auto', 'off']).meta({
  description:
    'Whether requests to Claude, at Anthropic and Amazon Bedrock, mark what shall be cached: the tools, the system prompt, and the messages but the last one. Writing costs 1.25 times the input, reading mostly 0.1 times. Turn it off where the system prompt differs in every call. Default: auto',
});
