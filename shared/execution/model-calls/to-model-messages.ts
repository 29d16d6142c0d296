/**
 * Turns stored messages into those of the model port: loads files, joins the system messages at the beginning.
 * Files come from data URLs, stored assets of the tenant or guarded requests, within limits on each and on all together.
 * Called by agents before their first turn, by prompt steps and by the model endpoints; nothing is sent to a model here.
 */
import { decodeBase64 } from '../../adapters/assets/base64.ts';
import { statusError } from '../../adapters/net/fetch-failure.ts';
import type { FilePart, ModelMessage, TextPart } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { type ContentPart, type Message, messageText } from '../../domain/conversations/message.ts';

type FilePorts = Pick<Ports, 'fetch' | 'assets'>;

/** Images and files of all messages together. */
export const filesMax = 20;
export const allBytesMax = 20_000_000;
const filesAtOnce = 4;

/** System messages before all others become one. Later ones stay where they are: they hold from there on. @throws StepError */
export async function toModelMessages(
  ports: FilePorts,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<ModelMessage[]> {
  return arrangeMessages(messages, await loadFiles(ports, messages, signal));
}

/** @param files Of their parts. Without them, the messages only stand in for those that a model gets. */
export function arrangeMessages(
  messages: readonly Message[],
  files: ReadonlyMap<ContentPart, FilePart> = new Map(),
): ModelMessage[] {
  const isSystem = ({ role }: Message) => role === 'system';
  const at = messages.findIndex((message) => !isSystem(message));
  const begun = at === -1 ? messages.length : at;
  const joinTexts = (some: readonly Message[]) => some.map(messageText).filter(Boolean).join('\n\n');
  const system = [joinTexts(messages.slice(0, begun))].filter(Boolean);
  const others = messages
    .slice(begun)
    .filter((message) => !isSystem(message) || messageText(message) !== '')
    .map((message): ModelMessage => {
      const { role, content } = message;
      if (role !== 'user') return { role, content: messageText(message) };
      return {
        role,
        content: typeof content === 'string' ? content : content.map((part) => toPart(part, files)),
      };
    });
  return [...system.map((content) => ({ role: 'system' as const, content })), ...others];
}

const toPart = (part: ContentPart, files: ReadonlyMap<ContentPart, FilePart>): TextPart | FilePart =>
  part.type === 'text' ? part : (files.get(part) as FilePart);

async function loadFiles(
  ports: FilePorts,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<ReadonlyMap<ContentPart, FilePart>> {
  const parts = messages.flatMap(({ role, content }) =>
    typeof content === 'string'
      ? []
      : content.filter(({ type }) => type !== 'text').map((part) => ({ role, part })),
  );
  const other = parts.find(({ role }) => role !== 'user');
  if (other)
    throw new StepError(
      `Only messages of the user can have images and files; one of the ${other.role} has one`,
    );
  if (parts.length > filesMax) {
    throw new StepError(
      `The messages have ${parts.length} images and files; a model takes at most ${filesMax}`,
    );
  }
  const files = new Map<ContentPart, FilePart>();
  let bytes = 0;
  const load = async ({ part }: (typeof parts)[number]) => ({
    part,
    file: await loadFile(ports, toSource(part), signal),
  });
  for await (const { part, file } of mapConcurrently(parts, filesAtOnce, load)) {
    files.set(part, file);
    bytes += file.data.length;
    if (bytes > allBytesMax) {
      throw new StepError(
        `The images and files have more than ${allBytesMax} bytes together; send fewer or smaller ones`,
      );
    }
  }
  return files;
}

const toSource = (part: ContentPart) =>
  part.type === 'image'
    ? { source: part.image, mediaType: part.mimeType }
    : part.type === 'file'
      ? { source: part.data, mediaType: part.mimeType, filename: part.filename }
      : { source: '' };

interface FileSource {
  /** A data: URL, an http or https URL, or base64 text. */
  source: string;
  mediaType?: string | undefined;
  filename?: string | undefined;
}

/** Providers take less than 20 MB for all files of a request. */
const fileBytesMax = 10_000_000;

/** Loads a file for a model. URLs go through the egress guard; stored assets of the tenant are read directly. @throws StepError */
async function loadFile(
  ports: Pick<Ports, 'fetch' | 'assets'>,
  { source, mediaType: statedType, filename }: FileSource,
  signal: AbortSignal,
): Promise<FilePart> {
  const file = /^https?:/i.test(source.trim())
    ? await fetchFile(ports, source.trim(), signal)
    : inlineFile(source);
  if (file.bytes.length === 0) throw new StepError(`${describeSource(source)} is empty`);
  if (file.bytes.length > fileBytesMax) {
    throw new StepError(
      `${describeSource(source)} has ${file.bytes.length} bytes; a model takes at most ${fileBytesMax}`,
    );
  }
  const mediaType = statedType ?? file.type?.split(';')[0]?.trim();
  if (!mediaType)
    throw new StepError(`${describeSource(source)} has no media type; give its mimeType, such as image/png`);
  return { type: 'file', data: file.bytes, mediaType, filename };
}

async function fetchFile(
  { fetch, assets }: Pick<Ports, 'fetch' | 'assets'>,
  url: string,
  signal: AbortSignal,
) {
  const stored = await assets.read(url);
  if (stored) return { bytes: stored.bytes, type: stored.contentType };
  const request = {
    url,
    method: 'GET',
    headers: {},
    timeoutMs: 30_000,
    bytesMax: fileBytesMax,
    signal,
  } as const;
  const { status, headers, bytes } = await fetch(request);
  if (status >= 400) throw statusError(url, { status, headers });
  return { bytes, type: headers['content-type'] };
}

function inlineFile(source: string) {
  try {
    return decodeBase64(source);
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    throw new StepError(
      `${describeSource(source)} is no data: URL, no http or https URL, and no base64 text`,
    );
  }
}

const describeSource = (source: string) => `The file ${source.slice(0, 60)}${source.length > 60 ? '…' : ''}`;
