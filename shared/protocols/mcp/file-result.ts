import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { AssetsPort } from '../../adapters/ports/assets-port.ts';
import { log } from '../../core/log.ts';
import { AssetOutput } from '../../domain/flows/step-types/store-asset.ts';

/** Reads a file that the tenant stored. Undefined for all other URLs. */
export type FileReader = AssetsPort['read'];

/** Larger files are links only. */
const shownBytesMax = 1_000_000;

/** What clients show to people and models. */
const shownTypes = /^(image)\/(?:png|jpeg|gif|webp)\b|^(audio)\//i;

/** A stored file as a link, with its content if that can be shown. Undefined if the output is none. */
export async function fileResult(output: unknown, read: FileReader): Promise<CallToolResult | undefined> {
  const { data: file } = AssetOutput.strict().safeParse(output);
  if (!file) return undefined;
  const { url: uri, filename: name, contentType: mimeType, size } = file;
  const link: ContentBlock = { type: 'resource_link', uri, name, mimeType, size };
  const shown = await shownContent(file, read);
  return { content: [...(shown ? [shown] : []), link], structuredContent: file };
}

type File = Pick<ReturnType<typeof AssetOutput.parse>, 'url' | 'contentType' | 'size'>;

async function shownContent({ url, contentType, size }: File, read: FileReader) {
  const [, image, audio] = shownTypes.exec(contentType) ?? [];
  if (!(image ?? audio) || size > shownBytesMax) return undefined;
  try {
    const { bytes } = (await read(url)) ?? {};
    if (!bytes || bytes.length > shownBytesMax) return undefined;
    const data = Buffer.from(bytes).toString('base64');
    return { type: image ? ('image' as const) : ('audio' as const), data, mimeType: contentType };
  } catch (error) {
    log.warn('The file of a tool call cannot be shown', { error });
    return undefined;
  }
}
