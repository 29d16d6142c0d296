import type { FilePart, ModelMessage, TextPart } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { type ContentPart, type Message, messageText } from '../../domain/conversations/message.ts';
import { loadFile } from './load-file.ts';

type World = Pick<Ports, 'fetch' | 'assets'>;

/** Images and files of all messages together. */
export const filesMax = 20;
export const allBytesMax = 20_000_000;
const filesAtOnce = 4;

/** System messages before all others become one. Later ones stay where they are: they hold from there on. @throws StepError */
export async function toModelMessages(
  world: World,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<ModelMessage[]> {
  const files = await loadFiles(world, messages, signal);
  const isSystem = ({ role }: Message) => role === 'system';
  const at = messages.findIndex((message) => !isSystem(message));
  const begun = at === -1 ? messages.length : at;
  const textOf = (some: readonly Message[]) => some.map(messageText).filter(Boolean).join('\n\n');
  const system = [textOf(messages.slice(0, begun))].filter(Boolean);
  const others = messages
    .slice(begun)
    .filter((message) => !isSystem(message) || messageText(message) !== '')
    .map((message): ModelMessage => {
      const { role, content } = message;
      if (role !== 'user') return { role, content: messageText(message) };
      return {
        role,
        content: typeof content === 'string' ? content : content.map((part) => partOf(part, files)),
      };
    });
  return [...system.map((content) => ({ role: 'system' as const, content })), ...others];
}

const partOf = (part: ContentPart, files: ReadonlyMap<ContentPart, FilePart>): TextPart | FilePart =>
  part.type === 'text' ? part : (files.get(part) as FilePart);

async function loadFiles(world: World, messages: readonly Message[], signal: AbortSignal) {
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
    file: await loadFile(world, sourceOf(part), signal),
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

const sourceOf = (part: ContentPart) =>
  part.type === 'image'
    ? { source: part.image, mediaType: part.mimeType }
    : part.type === 'file'
      ? { source: part.data, mediaType: part.mimeType, filename: part.filename }
      : { source: '' };
