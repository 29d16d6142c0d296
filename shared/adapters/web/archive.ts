import { createGunzip } from 'node:zlib';
import { Parser } from 'tar/parse';
import type { ReadEntry } from 'tar/read-entry';
import { StepError } from '../../core/errors/step-error.ts';
import { decodeText, encodingProblem } from '../net/decode-text.ts';

export interface TextFile {
  path: string;
  text: string;
  /** What may be wrong with its letters. */
  problem?: string | undefined;
}

const unpackedBytesMax = 200_000_000;
const entriesMax = 50_000;
const textBytesMax = 4_000_000;

/** By their paths below GitHub's top directory. @throws StepError if the archive is too large or broken */
export async function textFilesIn(
  archive: Uint8Array,
  wants: (path: string) => boolean,
): Promise<TextFile[]> {
  const reading = startReading(wants);
  const parser = new Parser({ strict: true, filter: reading.takes, onReadEntry: reading.read });
  parser.on('error', reading.fail).on('eof', reading.end);
  try {
    for await (const chunk of unpacked(archive)) {
      parser.write(chunk);
      // The parser would buffer everything after the end.
      if (reading.isOver()) break;
    }
    parser.end();
    return reading.files();
  } catch (error) {
    if (error instanceof StepError) throw error;
    throw new StepError(`The archive is broken: ${(error as Error).message}`, { cause: error });
  }
}

async function* unpacked(archive: Uint8Array): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of createGunzip().end(archive) as AsyncIterable<Buffer>) {
    // The parser itself would decompress doubly compressed data, without this limit.
    if (bytes === 0 && !isTar(chunk)) throw new Error('The data is not a tar archive');
    bytes += chunk.byteLength;
    if (bytes > unpackedBytesMax) throw tooLarge(`${unpackedBytesMax} bytes`);
    yield chunk;
  }
}

const isTar = (start: Buffer) => start.subarray(257, 262).toString() === 'ustar';

function startReading(wants: (path: string) => boolean) {
  const kept: { path: string; chunks: Uint8Array[] }[] = [];
  let entries = 0;
  let textBytes = 0;
  let ended = false;
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
  };
  return {
    fail,
    end: () => {
      ended = true;
    },
    isOver: () => ended || failure !== undefined,
    takes: (path: string, entry: object) => {
      if (++entries > entriesMax) fail(tooLarge(`${entriesMax} files`));
      return (entry as ReadEntry).type === 'File' && wants(inside(path));
    },
    read: (entry: ReadEntry) => {
      const chunks: Uint8Array[] = [];
      let isBinary = false;
      entry.on('data', (chunk) => {
        if (chunks.length === 0) isBinary ||= chunk.subarray(0, 8_000).includes(0);
        if (isBinary || failure) return;
        chunks.push(chunk);
        textBytes += chunk.byteLength;
        if (textBytes > textBytesMax) fail(tooLarge(`${textBytesMax} bytes of text`));
      });
      entry.on('end', () => isBinary || kept.push({ path: inside(entry.path), chunks }));
    },
    files: (): TextFile[] => {
      if (failure) throw failure;
      return kept.map(({ path, chunks }) => {
        const decoded = decodeText(Buffer.concat(chunks));
        return { path, text: decoded.text, problem: encodingProblem(decoded) };
      });
    },
  };
}

const inside = (path: string) => path.replace(/^[^/]*\//, '');

const tooLarge = (what: string) =>
  new StepError(`The repository has more than ${what}: set path, or includePatterns and excludePatterns`);
