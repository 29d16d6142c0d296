import { Readable } from 'node:stream';
import * as z from 'zod';
import { conversationStore } from '../../shared/domain/conversations/conversation-store.ts';
import { conversationExporter } from '../../shared/domain/conversations/message-pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { toConversationHead } from './response-schemas.ts';
import { ConversationParams } from './schemas.ts';

export const exportConversation = defineEndpoint({
  id: 'conversations.export',
  method: 'GET',
  path: '/v1/conversations/{id}/export',
  permission: 'CONVERSATIONS:READ',
  summary: 'Export a conversation as lines of JSON',
  description:
    'The first line is the conversation (`"type": "conversation"`), each further one a message (`"type": "message"`), oldest first. A response has at most 100 MB: if there is more, its last line is `{"type": "more", "after": …}`. Send the same request with `after` set to that value.',
  params: ConversationParams,
  query: z.object({
    after: z.string().optional().meta({ description: 'The `after` of the last line of an earlier response' }),
  }),
  open: 'reader',
  response: { kind: 'stream', mediaType: 'application/jsonl', body: z.string() },
  errors: [400, 404],
  needs: { conversations: conversationStore, exported: conversationExporter },

  async handle({ params: { id }, query: { after } }, { conversations, exported }) {
    const conversation = await conversations.find(id);
    const lines = exported(conversation, toConversationHead(conversation), after);
    return {
      contentType: 'application/jsonl; charset=utf-8',
      headers: { 'content-disposition': `attachment; filename="${id}.jsonl"` },
      stream: Readable.from(lines),
    };
  },
});

export const handler = toStreamingLambda(exportConversation);
