import type { ModelMessage } from '../../adapters/ports/model-port.ts';
import type { ContentPart, Message } from '../../domain/conversations/message.ts';
import { countPayloadBytes, type PayloadReader, type PayloadRef } from '../../platform/data/payloads.ts';

type Part = Exclude<ModelMessage['content'], string>[number] | ContentPart;

/** Messages as OpenTelemetry's GenAI conventions write them: https://opentelemetry.io/docs/specs/semconv/gen-ai/ */
export const toGenAiMessages = (messages: readonly (ModelMessage | Message)[]) =>
  messages.map(({ role, content }) => toGenAiMessage(role, content));

export const toGenAiMessage = (role: string, content: unknown) => ({ role, parts: toParts(content) });

/** What a model said at the end. The conventions require the reason. */
export const toGenAiAnswer = (content: unknown, stopReason = 'stop') => [
  { ...toGenAiMessage('assistant', content), finish_reason: toGenAiReason(stopReason) },
];

const reasons: Readonly<Record<string, string>> = {
  'tool-calls': 'tool_call',
  max_tool_calls: 'tool_call',
  'content-filter': 'content_filter',
  interrupted: 'error',
};

/** Why a model stopped, as the conventions spell it. */
export const toGenAiReason = (stopReason: string): string => reasons[stopReason] ?? stopReason;

export const toGenAiText = (content: unknown) => ({
  type: 'text',
  content: typeof content === 'string' ? content : JSON.stringify(content ?? null),
});

const toParts = (content: unknown) =>
  Array.isArray(content) ? (content as readonly Part[]).map(toPart) : [toGenAiText(content)];

function toPart(part: Part): Record<string, unknown> {
  switch (part.type) {
    case 'text':
      return toGenAiText(part.text);
    case 'reasoning':
      return { type: 'reasoning', content: part.text };
    case 'tool-call':
      return { type: 'tool_call', id: part.id, name: part.name, arguments: part.input };
    case 'tool-result':
      return { type: 'tool_call_response', id: part.id, response: part.output };
    case 'image':
      return toFilePart('image', part.image, part.mimeType);
    case 'file':
      return toFilePart(undefined, part.data, 'mimeType' in part ? part.mimeType : part.mediaType);
  }
}

const toModality = (mimeType = '') => /^(?:image|video|audio)(?=\/)/.exec(mimeType)?.[0] ?? 'document';

/** An address, or what is in the file, in Base64. */
function toFilePart(modality: string | undefined, data: string | Uint8Array, statedType: string | undefined) {
  const [, named, content] = (typeof data === 'string' && dataUrl.exec(data)) || [];
  const mimeType = statedType ?? named;
  const about = { modality: modality ?? toModality(mimeType), ...(mimeType && { mime_type: mimeType }) };
  if (typeof data !== 'string')
    return { type: 'blob', ...about, content: Buffer.from(data).toString('base64') };
  return /^https?:/.test(data)
    ? { type: 'uri', ...about, uri: data }
    : { type: 'blob', ...about, content: content ?? data };
}

const dataUrl = /^data:([^;,]+)?(?:;[^,]*)?;base64,(.*)$/s;

/** Prompts and outputs as attributes, while the response has room for them. */
export interface ContentReader {
  takeValue: (name: string, value: unknown) => Record<string, unknown>;
  fetchValue: (name: string, ref: PayloadRef | undefined) => Promise<Record<string, unknown>>;
  /** In another form. */
  fetchValueAs: (
    name: string,
    ref: PayloadRef | undefined,
    shown: (value: unknown) => unknown,
  ) => Promise<Record<string, unknown>>;
}

const omitted = { 'content.omitted': true };

/** Beside the spans themselves, which take up to 3 MB of a response. */
export const traceContentBytesMax = 2_000_000;

/** For content that is at hand. */
export function openContentRoom(bytesMax: number) {
  let left = bytesMax;
  return {
    hasRoomFor: (bytes: number) => bytes <= left,
    takeValue(name: string, value: unknown): Record<string, unknown> {
      if (value === undefined) return {};
      const bytes = Buffer.byteLength(JSON.stringify(value));
      if (bytes > left) return omitted;
      left -= bytes;
      return { [name]: value };
    },
  };
}

export function openContent(payloads: PayloadReader, bytesMax: number): ContentReader {
  const { hasRoomFor, takeValue } = openContentRoom(bytesMax);
  const fetchAttribute = async (
    name: string,
    ref: PayloadRef | undefined,
    shown = (value: unknown) => value,
  ) => {
    if (!ref) return {};
    if (!hasRoomFor(countPayloadBytes(ref))) return omitted;
    return takeValue(name, shown(await payloads.fetchReadable(ref)));
  };
  return {
    takeValue,
    fetchValue: (name, ref) => fetchAttribute(name, ref),
    fetchValueAs: fetchAttribute,
  };
}
