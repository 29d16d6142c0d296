import * as z from 'zod';
import { decodeBase64 } from '../../assets/base64.ts';
import { contentTypeOf } from '../../assets/content-type.ts';
import { safeFilename } from '../../assets/filename.ts';
import { assetBytesMax } from '../../assets/limits.ts';
import type { AssetsPort } from '../ports.ts';
import { defineStep, StepError, type StepRun } from '../step.ts';
import { Template } from '../templates.ts';
import { plainMembers } from './members.ts';

export const Visibility = z.enum(['public', 'private']).optional().meta({
  description:
    'public: anyone who knows the address. private: by a signed address that ends. private without it',
});

/** What the steps that make files give. */
export const AssetOutput = z.object({
  assetId: z.string(),
  url: z.string(),
  filename: z.string(),
  contentType: z.string(),
  size: z.int(),
  expiresAt: z.iso.datetime().nullable(),
});

const Config = z
  .strictObject({
    url: Template.min(1).optional().meta({ description: 'Where the file is fetched from' }),
    content: Template.min(1)
      .optional()
      .meta({ description: 'The file itself, as base 64 or as a data: URL' }),
    filename: Template.min(1).optional().meta({ description: 'Without it, the last part of the url' }),
    contentType: Template.min(1).optional().meta({
      description: 'Without it, what the server says, else what the filename’s ending means',
    }),
    visibility: Visibility,
    ...plainMembers,
  })
  .refine(({ url, content }) => (url === undefined) !== (content === undefined), {
    path: ['url'],
    message: 'Give either url or content',
  })
  .refine(({ content, filename }) => content === undefined || filename !== undefined, {
    path: ['filename'],
    message: 'Required: content brings no name along',
  });
type Config = z.infer<typeof Config>;

export const storeAssetStep = defineStep({
  type: 'store-asset',
  summary: 'Keep a file of up to 25 MB, and give its address',
  config: Config,
  output: AssetOutput,
  effects: true,
  takesSecrets: false,
  permission: null,
  async run(step) {
    const { config, render, ports } = step;
    const file = await (config.url === undefined
      ? givenFile(step)
      : fetchedFile(step, (await render(config.url)).trim()));
    const filename = safeFilename(config.filename === undefined ? file.name : await render(config.filename));
    const contentType = await contentTypeOf(
      config.contentType && (await render(config.contentType)),
      file.type,
      filename,
    );
    const { bytes } = file;
    const { visibility = 'private' } = config;
    return { output: await stored(ports.assets, { bytes, filename, contentType, visibility }) };
  },
});

/** Stores a file, and says of it what such a step gives. */
export async function stored(
  assets: AssetsPort,
  file: Parameters<AssetsPort['store']>[0],
): Promise<z.input<typeof AssetOutput>> {
  const { assetId, url, expiresAt } = await assets.store(file);
  const { filename, contentType, bytes } = file;
  return { assetId, url, filename, contentType, size: bytes.length, expiresAt };
}

interface File {
  bytes: Uint8Array;
  name: string;
  type: string | undefined;
}

async function fetchedFile({ ports, signal }: StepRun<Config>, address: string): Promise<File> {
  const { status, url, headers, bytes } = await ports.fetch({
    url: address,
    method: 'GET',
    headers: {},
    timeoutMs: 60_000,
    bytesMax: assetBytesMax,
    signal,
  });
  if (status >= 400) {
    throw new StepError(`${url} answered ${status}`, { retryable: status === 429 || status >= 500 });
  }
  const lastPart = new URL(url).pathname.split('/').at(-1) || 'file';
  return { bytes, name: decoded(lastPart), type: headers['content-type'] };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function givenFile({ config, renderValue }: StepRun<Config>): Promise<File> {
  const content = await renderValue(config.content);
  if (typeof content !== 'string') throw new StepError('content is no text; expected base 64 or a data: URL');
  return { ...decodeBase64(content), name: '' };
}
