import type { ModelMessage } from '../../adapters/ports/model-port.ts';
import type { ContentPart, Message } from '../../domain/conversations/message.ts';

type Part = Exclude<ModelMessage['content'], string>[number] | ContentPart;

/** Messages as OpenTelemetry's GenAI conventions write them: https://opentelemetry.io/docs/specs/semconv/gen-ai/ */
export const genAiMessages = (messages: readonly (ModelMessage | Message)[]) =>
  messages.map(({ role, content }) => genAiMessage(role, content));

export const genAiMessage = (role: string, content: unknown) => ({ role, parts: partsOf(content) });

export const genAiText = (content: unknown) => ({
  type: 'text',
  content: typeof content === 'string' ? content : JSON.stringify(content ?? null),
});

const partsOf = (content: unknown) =>
  Array.isArray(content) ? (content as readonly Part[]).map(partOf) : [genAiText(content)];

function partOf(part: Part): Record<string, unknown> {
  switch (part.type) {
    case 'text':
      return genAiText(part.text);
    case 'reasoning':
      return { type: 'reasoning', content: part.text };
    case 'tool-call':
      return { type: 'tool_call', id: part.id, name: part.name, arguments: part.input };
    case 'tool-result':
      return { type: 'tool_call_response', id: part.id, response: part.output };
    case 'image':
      return fileOf('image', part.image, part.mimeType);
    case 'file':
      return fileOf(undefined, part.data, 'mimeType' in part ? part.mimeType : part.mediaType);
  }
}

/** An address, or what is in the file. */
const fileOf = (modality: string | undefined, data: string | Uint8Array, mimeType: string | undefined) => {
  const about = { modality: modality ?? mimeType?.split('/')[0], ...(mimeType && { mime_type: mimeType }) };
  return typeof data === 'string' && /^https?:/.test(data)
    ? { type: 'uri', ...about, uri: data }
    : {
        type: 'blob',
        ...about,
        content: typeof data === 'string' ? data : Buffer.from(data).toString('base64'),
      };
};
