import * as z from 'zod';
import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import { AssetOutput } from '../../domain/flows/step-types/store-asset.ts';

/** A stored file is a file, and so is content as MCP has it. Texts are text, and all other values are data. */
export function toOutputParts(output: unknown): A2aPart[] {
  if (output === null || output === undefined || output === '') return [];
  if (typeof output === 'string') return [{ text: output }];
  return findFiles(output) ?? [{ data: output }];
}

function findFiles(output: unknown): A2aPart[] | undefined {
  const { data: file } = StoredFile.safeParse(output);
  if (file) return [{ url: file.url, mediaType: file.contentType, filename: file.filename }];
  const { content, structuredContent: data } = Contents.safeParse(output).data ?? {};
  return content && [...content, ...(data ? [{ data }] : [])];
}

const Link = z.string().regex(/^https?:\/\//i);
const StoredFile = AssetOutput.extend({ url: Link }).strict();

const mimeType = z.string().optional();
const Bytes = z.base64();

/** A content block of MCP, as the part that has the same. */
const Block = z.union([
  z.object({ type: z.literal('text'), text: z.string() }).transform(({ text }): A2aPart => ({ text })),
  z
    .object({ type: z.enum(['image', 'audio']), data: Bytes, mimeType: z.string() })
    .transform(({ data: bytes, mimeType: mediaType }): A2aPart => ({ bytes, mediaType, filename: '' })),
  z
    .object({ type: z.literal('resource_link'), uri: Link, name: z.string(), mimeType })
    .transform(({ uri: url, name: filename, mimeType: mediaType = '' }): A2aPart => {
      return { url, mediaType, filename };
    }),
  z
    .object({ type: z.literal('resource'), resource: z.object({ blob: Bytes, uri: z.string(), mimeType }) })
    .transform(({ resource: { blob: bytes, uri, mimeType: mediaType = '' } }): A2aPart => {
      return { bytes, mediaType, filename: getFileName(uri) };
    }),
  z
    .object({
      type: z.literal('resource'),
      resource: z.object({ text: z.string(), uri: z.string(), mimeType }),
    })
    .transform(({ resource: { text, uri, mimeType: mediaType = 'text/plain' } }): A2aPart => {
      return { bytes: Buffer.from(text).toString('base64'), mediaType, filename: getFileName(uri) };
    }),
]);

/** What an mcp surface passes on as a result, too. */
const Contents = z.strictObject({
  content: z.array(Block).min(1),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
});

const getFileName = (uri: string) => uri.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '';
