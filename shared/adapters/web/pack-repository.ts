/**
 * Joins the text files of a repository's archive into one text, by path, as chosen by patterns.
 * Runs in a thread of the sandbox (`tasks.ts`), since patterns and archives come from tenants. The archive is read as a stream
 * and reading stops at the first limit: unpacked bytes, entries, bytes of text. Binary files are left out.
 * What is wrong with the archive is a result (`problem`); `fetch-repository.ts` downloads it and throws the problem.
 */
import { createGunzip } from 'node:zlib';
import { Minimatch } from 'minimatch';
import { Parser } from 'tar/parse';
import type { ReadEntry } from 'tar/read-entry';
import { StepError } from '../../core/errors/step-error.ts';
import { trimTrailing } from '../../core/text.ts';
import { decodeText, findEncodingProblem } from '../net/decode-text.ts';

export interface RepositoryPacking {
  includePatterns: readonly string[];
  excludePatterns: readonly string[];
  compress: boolean;
  style: PackStyle;
}

/** Joins the matching text files of an archive below a path; `''` if there are none. Warns of files whose letters may be wrong. */
export async function packRepository({
  archive,
  path: below,
  packing: { includePatterns, excludePatterns, compress, style },
}: {
  archive: Uint8Array;
  path: string;
  packing: RepositoryPacking;
}): Promise<{ text: string; warnings: string[] } | { problem: string }> {
  const included = includePatterns.length > 0 ? globMatcher(includePatterns) : () => true;
  const excluded = globMatcher(excludePatterns);
  const isBelow = (path: string) => below === '' || path.startsWith(`${below}/`);
  const wants = (path: string) => isBelow(path) && included(path) && !excluded(path);
  try {
    const files = await readTextFiles(archive, wants);
    const warnings = files.flatMap(({ path, problem }) => (problem ? [`${path} ${problem}`] : []));
    return { text: joinFiles(files, style, compress), warnings };
  } catch (error) {
    if (error instanceof StepError) return { problem: error.message };
    throw error;
  }
}

/** Linear in the path's length for every pattern: minimatch creates no regular expressions (D257). */
const options = { dot: true, matchBase: true, nocomment: true, nonegate: true, braceExpandMax: 100 };

/** Whether a pattern matches a path or one of its directories. */
function globMatcher(patterns: readonly string[]): (path: string) => boolean {
  const matchers = patterns.flatMap((pattern) => {
    const place = trimTrailing(pattern, '/').replace(/^\.?\/+/, '');
    const anywhere = place.includes('/') ? place : `**/${place}`;
    return [place, `${anywhere}/**`].map((glob) => new Minimatch(glob, options));
  });
  return (path) => matchers.some((matcher) => matcher.match(path));
}

const styles = {
  plain: ({ path, text }) => `==== ${path} ====\n${text}`,
  markdown: ({ path, text }) => `## ${path}\n\n${fenceText(text, extension(path))}`,
  xml: ({ path, text }) =>
    `<file path="${path.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}">\n${text}\n</file>`,
} satisfies Record<string, (file: TextFile) => string>;

type PackStyle = keyof typeof styles;

/** Joins the files, sorted by path. `compress` removes blank lines and trailing spaces. */
function joinFiles(files: readonly TextFile[], style: PackStyle, compress: boolean): string {
  return files
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, text }) => styles[style]({ path, text: compress ? compressText(text) : text.trimEnd() }))
    .join('\n\n');
}

const compressText = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');

/** Uses a fence longer than any in the text. */
function fenceText(text: string, language: string): string {
  const longest = Math.max(
    0,
    ...[...text.matchAll(/^[ \t]*(`{3,})/gm)].map(([, ticks = '']) => ticks.length),
  );
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

const extension = (path: string) => /\.([a-z0-9]{1,12})$/i.exec(path)?.[1] ?? '';

interface TextFile {
  path: string;
  text: string;
  /** What may be wrong with its letters. */
  problem?: string | undefined;
}

const unpackedBytesMax = 200_000_000;
const entriesMax = 50_000;
const textBytesMax = 4_000_000;

/** By their paths below GitHub's top directory. @throws StepError if the archive is too large or broken */
async function readTextFiles(archive: Uint8Array, wants: (path: string) => boolean): Promise<TextFile[]> {
  const reading = startReading(wants);
  const parser = new Parser({ strict: true, filter: reading.takes, onReadEntry: reading.read });
  parser.on('error', reading.fail).on('eof', reading.end);
  try {
    for await (const chunk of decompressArchive(archive)) {
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

async function* decompressArchive(archive: Uint8Array): AsyncGenerator<Buffer> {
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
      return (entry as ReadEntry).type === 'File' && wants(dropTopFolder(path));
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
      entry.on('end', () => isBinary || kept.push({ path: dropTopFolder(entry.path), chunks }));
    },
    files: (): TextFile[] => {
      if (failure) throw failure;
      return kept.map(({ path, chunks }) => {
        const decoded = decodeText(Buffer.concat(chunks));
        return { path, text: decoded.text, problem: findEncodingProblem(decoded) };
      });
    },
  };
}

const dropTopFolder = (path: string) => path.replace(/^[^/]*\//, '');

const tooLarge = (what: string) =>
  new StepError(`The repository has more than ${what}: set path, or includePatterns and excludePatterns`);
