import { anthropic } from './anthropic.ts';
import { bedrock } from './bedrock.ts';
import { genericChat, groq, openaiChat, together } from './chat-completions.ts';
import { google } from './google.ts';
import { mistral } from './mistral.ts';
import { openaiResponses, xai } from './responses.ts';
import type { Wire } from './wire.ts';

/** One wire format for each API of each provider. */
export const wires: readonly Wire[] = [
  openaiChat,
  openaiResponses,
  anthropic,
  google,
  bedrock,
  xai,
  groq,
  together,
  mistral,
  genericChat,
];
