import { decodeBase64 } from '../../adapters/assets/base64.ts';
import { statusError } from '../../adapters/net/status-error.ts';
import type { FilePart } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { StepError } from '../../core/errors/step-error.ts';

export interface FileSource {
  /** A data: URL, an http or https URL, or base64 text. */
  source: string;
  mediaType?: string | undefined;
  filename?: string | undefined;
}

/** Providers take less than 20 MB for all files of a request. */
const fileBytesMax = 10_000_000;

/** Loads a file for a model. URLs go through the egress guard; stored assets of the tenant are read directly. @throws StepError */
export async function loadFile(
  ports: Pick<Ports, 'fetch' | 'assets'>,
  { source, mediaType: given, filename }: FileSource,
  signal: AbortSignal,
): Promise<FilePart> {
  const file = /^https?:/i.test(source.trim())
    ? await remoteFile(ports, source.trim(), signal)
    : inlineFile(source);
  if (file.bytes.length === 0) throw new StepError(`${nameOf(source)} is empty`);
  if (file.bytes.length > fileBytesMax) {
    throw new StepError(
      `${nameOf(source)} has ${file.bytes.length} bytes; a model takes at most ${fileBytesMax}`,
    );
  }
  const mediaType = given ?? file.type?.split(';')[0]?.trim();
  if (!mediaType)
    throw new StepError(`${nameOf(source)} has no media type; give its mimeType, such as image/png`);
  return { type: 'file', data: file.bytes, mediaType, filename };
}

async function remoteFile(
  { fetch, assets }: Pick<Ports, 'fetch' | 'assets'>,
  url: string,
  signal: AbortSignal,
) {
  const own = await assets.read(url);
  if (own) return { bytes: own.bytes, type: own.contentType };
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
    throw new StepError(`${nameOf(source)} is no data: URL, no http or https URL, and no base64 text`);
  }
}

const nameOf = (source: string) => `The file ${source.slice(0, 60)}${source.length > 60 ? '…' : ''}`;
