/**
 * Stores files of runs in the asset bucket and reads them again, with safe names and content types.
 * The key of a file is derived from the run and the content, so a repeated step stores the same file once. Public files
 * have a lasting URL that anyone can read; the URL of a private one is signed for an hour. Reading accepts only URLs of
 * the tenant's own files.
 * Browsers display only types that cannot run scripts, and download the others.
 * Steps store through `AssetsPort` (`execution/open-ports.ts`); `protocols/mcp` reads.
 */
import { createHash } from 'node:crypto';
import { requireEnv } from '../../core/environment.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { deriveId, getIdTimeMs } from '../../core/ids.ts';
import { readBytes } from '../../core/limited-fetch.ts';
import { urlPart, wholeOrLength } from '../../core/text.ts';
import {
  decodePath,
  encodePath,
  isMissingObject,
  parseObjectKey,
  requestS3,
  S3Error,
  signObjectUrl,
} from '../../platform/aws/s3.ts';
import { using } from '../../platform/aws/uses.ts';
import type { AssetsPort } from '../ports/assets-port.ts';

/** A signed URL expires with the credentials that signed it; those of a Lambda may last little longer than this. */
const signedSeconds = 3_600;

interface Owner {
  tenant: string;
  /** The run that creates the files: a repeated step stores the same file once. */
  runId: string;
}

/** Stores files in the asset bucket. Anyone with the URL can read the files under `public/`. */
export const assetStore = /* @__PURE__ */ using(
  ['assets'],
  ({ tenant, runId }: Owner): AssetsPort => ({
    async store({ bytes, filename, contentType, visibility }) {
      if (bytes.length === 0) throw new StepError(`${filename} is empty`);
      if (bytes.length > assetBytesMax) {
        throw new StepError(`${filename} has ${bytes.length} bytes; the maximum is ${assetBytesMax}`);
      }
      const digest = createHash('sha256').update(bytes).digest('hex');
      const assetId = deriveId('asset', getIdTimeMs(runId), runId, visibility, contentType, filename, digest);
      const path = `${tenant}/${assetId}/${filename}`;
      const bucket = requireEnv('ASSET_BUCKET');
      const isPublic = visibility === 'public';
      await translateErrors(() =>
        requestS3(bucket, 'PUT', `${visibility}/${path}`, {
          body: bytes,
          headers: {
            'content-type': contentType,
            'content-disposition': contentDisposition(filename, contentType),
            'cache-control': isPublic ? 'public, max-age=31536000, immutable' : 'private',
          },
        }),
      );
      if (isPublic)
        return { assetId, url: `${requireEnv('PUBLIC_ASSETS_URL')}/${encodePath(path)}`, expiresAt: null };
      const expiresAt = new Date(Date.now() + signedSeconds * 1_000).toISOString();
      return { assetId, url: await signObjectUrl(bucket, `private/${path}`, signedSeconds), expiresAt };
    },

    async read(url) {
      const bucket = requireEnv('ASSET_BUCKET');
      const key = parseObjectKey(bucket, url) ?? parsePublicKey(url);
      if (!key || !isFileOf(tenant, key)) return undefined;
      const response = await requestS3(bucket, 'GET', key).catch((error) => {
        if (isMissingObject(error))
          throw new StepError(`The stored file ${key.split('/').at(-1)} does not exist any more`);
        throw error;
      });
      const contentType = response.headers.get('content-type') ?? 'application/octet-stream';
      return { bytes: await readBytes(response, assetBytesMax), contentType };
    },
  }),
);

/** A part of dots would lead to the folder of another tenant. */
function isFileOf(tenant: string, key: string): boolean {
  const [visibility = '', owner, assetId = '', filename = '', ...more] = key.split('/');
  return (
    ['public', 'private'].includes(visibility) &&
    owner === tenant &&
    /^asset_\w+$/.test(assetId) &&
    !/^\.*$/.test(filename) &&
    more.length === 0
  );
}

function parsePublicKey(url: string): string | undefined {
  const base = `${requireEnv('PUBLIC_ASSETS_URL')}/`;
  const path = url.startsWith(base) ? decodePath(url.slice(base.length)) : undefined;
  return path && `public/${path}`;
}

async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof S3Error) || (error.status < 500 && error.status !== 429)) throw error;
    throw new StepError(`The file could not be stored: ${error.message}`, { retryable: true, cause: error });
  }
}

const bytesMax = 255;

/** Characters that end a path, a header or a line, or that reverse the text direction. */
const unsafe = /[\p{Cc}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A filename that is valid everywhere. @throws StepError */
export function safeFilename(text: string): string {
  const name = text.toWellFormed().normalize('NFC').replace(unsafe, '_').trim();
  if (/^\.*$/.test(name)) throw new StepError(`${JSON.stringify(text)} is not a valid filename`);
  const bytes = Buffer.byteLength(name);
  if (bytes <= bytesMax) return name;
  throw new StepError(`A filename has at most ${bytesMax} bytes; this one has ${bytes}`);
}

/** Types that a browser displays without running code. */
const shownTypes = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain\b|application\/pdf\b)/i;

/** The Content-Disposition header of a file (RFC 6266): browsers download files that could run scripts. */
export function contentDisposition(filename: string, contentType: string): string {
  const kind = shownTypes.test(contentType) ? 'inline' : 'attachment';
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = urlPart(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

export const assetBytesMax = 25_000_000;

const charactersMax = 255;
const token = "[\\w!#$&^.+'*`|~-]+";
const mediaType = new RegExp(`^${token}/${token}(?:\\s*;\\s*${token}=(?:${token}|"[ !#-\\[\\]-~]*"))*$`);

const isMediaType = (text: string) => text.length <= charactersMax && mediaType.test(text);

/** The configured one, else the received or the usual one. @throws StepError if the configured one is invalid. */
export async function chooseContentType(
  configured: string | undefined,
  received: string | undefined,
  filename: string,
): Promise<string> {
  const contentType = configured?.trim();
  if (contentType !== undefined && !isMediaType(contentType)) {
    throw new StepError(
      `${JSON.stringify(wholeOrLength(contentType, 100))} is not a content type; expected one like image/png`,
    );
  }
  if (contentType) return contentType;
  if (received && isMediaType(received)) return received;
  const { default: mime } = await import('mime');
  return mime.getType(filename) ?? 'application/octet-stream';
}
