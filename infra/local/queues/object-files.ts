/**
 * The objects of a prefix of a bucket of S3 as files of any size: the files of imports and exports.
 *
 * fauxqs, which serves the other objects, holds each in memory, and reads all of it for a slice. Here bodies stream both ways.
 * An object is one file in one folder, named by the hash of its key: a head of fixed size (type and ETag), then its bytes. It is
 * written elsewhere and renamed, so that it is there whole or not at all; a copy is a second name of the same file. The parts of
 * an upload are files too, until it is completed. `removeExpired` does what the rules of the bucket do on AWS, once an hour.
 *
 * `queue-server.ts` asks for each request whose signature holds. What is not here is left to fauxqs, which has the objects of
 * earlier releases. A crash leaves files in `drafts`, which the next start removes.
 */

import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs';
import {
  type FileHandle,
  link,
  mkdir,
  open,
  opendir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { decodePath } from '../../../shared/platform/aws/s3.ts';
import { isFullDisk } from '../runtime/full-disk.ts';

export interface ObjectFilesOptions {
  directory: string;
  bucket: string;
  prefix: string;
  /** The bucket's rules. */
  keptSeconds: number;
  uploadSeconds: number;
}

/** Whether it has answered. */
type Answered = boolean;
interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  key: string;
  query: URLSearchParams;
}

class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const headBytes = 1_024;
/** Limits of S3. */
const objectBytesMax = 5 * 1024 ** 3;
const partBytesMin = 5 * 1024 ** 2;
const partsMax = 10_000;
const bodyBytesMax = 2 * 1024 ** 2;

interface Head {
  type: string;
  etag: string;
}

/** For the head, which is known last. */
const room = Buffer.alloc(headBytes);
const toHead = (head: Head) => Buffer.from(JSON.stringify(head).padEnd(headBytes));

const hex = (text: string) => createHash('sha256').update(text).digest('hex');
const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

export function openObjectFiles(options: ObjectFilesOptions) {
  const { directory, bucket, prefix } = options;
  const drafts = join(directory, 'drafts');
  const uploads = join(directory, 'uploads');
  rmSync(drafts, { recursive: true, force: true });
  for (const folder of [drafts, uploads]) mkdirSync(folder, { recursive: true });
  const toFile = (key: string) => join(directory, `${hex(key)}.object`);
  const toUpload = (id: string) => join(uploads, hex(id));

  /** Writes elsewhere first. @param write Leaves room for the head, and says the ETag. @returns the ETag */
  async function store(key: string, type: string, write: (draft: string) => Promise<string>) {
    const draft = join(drafts, randomUUID());
    try {
      const head = toHead({ etag: `"${await write(draft)}"`, type: type.slice(0, 500) });
      await using file = await open(draft, 'r+');
      await file.write(head, 0, headBytes, 0);
      await rename(draft, toFile(key));
      return (JSON.parse(head.toString()) as Head).etag;
    } finally {
      await rm(draft, { force: true });
    }
  }

  async function put({ request, response, key }: Asked): Promise<Answered> {
    const source = request.headers['x-amz-copy-source'];
    if (source !== undefined) return copy(response, key, String(source));
    assertLength(request);
    const type = request.headers['content-type'] ?? 'binary/octet-stream';
    const etag = await store(key, type, async (draft) =>
      (await writeSummed(draft, bodyOf(request), room)).digest('hex'),
    );
    response.writeHead(200, { etag }).end();
    return true;
  }

  async function copy(response: ServerResponse, key: string, source: string): Promise<Answered> {
    const from = decodePath(source.replace(/^\//, ''));
    if (!from?.startsWith(`${bucket}/`)) return false;
    const draft = join(drafts, randomUUID());
    try {
      await link(toFile(from.slice(bucket.length + 1)), draft);
      // Its age counts from now.
      await utimes(draft, new Date(), new Date());
      await rename(draft, toFile(key));
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    } finally {
      // A rename to another name of the same file does nothing.
      await rm(draft, { force: true });
    }
    writeXml(response, 200, '<CopyObjectResult></CopyObjectResult>');
    return true;
  }

  async function get({ request, response, key, query }: Asked): Promise<Answered> {
    const file = await open(toFile(key)).catch((error) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (!file) return false;
    try {
      await answerWith(file, request, response, query);
    } finally {
      await file.close().catch(() => {});
    }
    return true;
  }

  async function begin({ request, response, key }: Asked): Promise<Answered> {
    const id = randomUUID();
    await mkdir(toUpload(id));
    const type = request.headers['content-type'] ?? 'binary/octet-stream';
    await writeFile(join(toUpload(id), 'upload.json'), JSON.stringify({ key, type }));
    const inner = `<Bucket>${bucket}</Bucket><UploadId>${id}</UploadId>`;
    writeXml(response, 200, `<InitiateMultipartUploadResult>${inner}</InitiateMultipartUploadResult>`);
    return true;
  }

  /** @throws Refusal */
  async function findUpload({ key, query }: Asked): Promise<{ folder: string; type: string }> {
    const folder = toUpload(query.get('uploadId') ?? '');
    const text = await readFile(join(folder, 'upload.json'), 'utf8').catch(() => '{}');
    const upload = JSON.parse(text) as { key?: string; type: string };
    if (upload.key !== key) throw new Refusal(404, 'NoSuchUpload', 'The specified upload does not exist');
    return { folder, type: upload.type };
  }

  async function putPart(asked: Asked): Promise<Answered> {
    const { request, response, query } = asked;
    const { folder } = await findUpload(asked);
    const number = Number(query.get('partNumber'));
    if (!Number.isInteger(number) || number < 1 || number > partsMax)
      throw new Refusal(400, 'InvalidArgument', `Part number must be an integer between 1 and ${partsMax}`);
    assertLength(request);
    const draft = join(drafts, randomUUID());
    try {
      const etag = (await writeSummed(draft, bodyOf(request))).digest('hex');
      const earlier = (await listParts(folder)).filter((part) => part.number === number);
      await rename(draft, join(folder, toPartName(number, etag)));
      for (const part of earlier) if (part.etag !== etag) await rm(part.file, { force: true });
      response.writeHead(200, { etag: `"${etag}"` }).end();
    } finally {
      await rm(draft, { force: true });
    }
    return true;
  }

  async function answerParts(asked: Asked): Promise<Answered> {
    const { folder } = await findUpload(asked);
    const after = Number(asked.query.get('part-number-marker') ?? 0);
    const following = (await listParts(folder)).filter(({ number }) => number > after);
    const shown = following.slice(0, 1_000);
    const parts = shown.map(
      ({ number, etag, bytes }) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag><Size>${bytes}</Size></Part>`,
    );
    const isTruncated = following.length > shown.length;
    const marker = `<NextPartNumberMarker>${shown.at(-1)?.number ?? 0}</NextPartNumberMarker>`;
    const inner = `${marker}<IsTruncated>${isTruncated}</IsTruncated>${parts.join('')}`;
    writeXml(asked.response, 200, `<ListPartsResult>${inner}</ListPartsResult>`);
    return true;
  }

  /** Of uploads that are put together now, by their folder: who asks meanwhile waits for the same. */
  const completing = new Map<string, Promise<string>>();

  async function complete(asked: Asked): Promise<Answered> {
    const { request, response, key } = asked;
    const { folder, type } = await findUpload(asked);
    const listed = readListedParts(await readBody(request));
    const underWay =
      completing.get(folder) ??
      putTogether(key, folder, type, listed).finally(() => completing.delete(folder));
    completing.set(folder, underWay);
    const etag = await underWay;
    const inner = `<Bucket>${bucket}</Bucket><ETag>${etag}</ETag>`;
    writeXml(response, 200, `<CompleteMultipartUploadResult>${inner}</CompleteMultipartUploadResult>`);
    return true;
  }

  async function putTogether(
    key: string,
    folder: string,
    type: string,
    listed: ReturnType<typeof readListedParts>,
  ): Promise<string> {
    const chosen = chooseParts(listed, await listParts(folder));
    const whole = createHash('md5');
    for (const { etag } of chosen) whole.update(Buffer.from(etag, 'hex'));
    const etag = await store(key, type, async (draft) => {
      await pipeline(
        concatenate(
          chosen.map(({ file }) => file),
          room,
        ),
        createWriteStream(draft),
      );
      return `${whole.digest('hex')}-${chosen.length}`;
    });
    await rm(folder, { recursive: true, force: true });
    return etag;
  }

  const handlers: Record<string, (asked: Asked) => Promise<Answered>> = {
    GET: get,
    HEAD: get,
    PUT: put,
    'POST ?uploads': begin,
    'PUT ?uploadId': putPart,
    'GET ?uploadId': answerParts,
    'POST ?uploadId': complete,
    async 'DELETE ?uploadId'(asked) {
      const { folder } = await findUpload(asked);
      await rm(folder, { recursive: true, force: true });
      asked.response.writeHead(204).end();
      return true;
    },
    async DELETE({ key }) {
      await rm(toFile(key), { force: true });
      // It may have one of an earlier release.
      return false;
    },
  };

  return {
    async answer(request: IncomingMessage, response: ServerResponse): Promise<Answered> {
      const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://s3');
      const path = decodePath(pathname.slice(1));
      if (!path?.startsWith(`${bucket}/${prefix}`)) return false;
      const key = path.slice(bucket.length + 1);
      const about = ['uploadId', 'uploads'].find((name) => query.has(name));
      const handle = handlers[`${request.method}${about ? ` ?${about}` : ''}`];
      try {
        return (await handle?.({ request, response, key, query })) ?? false;
      } catch (error) {
        refuse(error, request, response);
        return true;
      }
    },

    /** @param now For tests. */
    async removeExpired(now = new Date()): Promise<void> {
      const { keptSeconds, uploadSeconds } = options;
      await removeOlder(directory, '.object', now.getTime() - keptSeconds * 1_000);
      await removeOlder(uploads, '', now.getTime() - uploadSeconds * 1_000);
    },
  };
}

export type ObjectFiles = ReturnType<typeof openObjectFiles>;

/** Of which the connection remains when it cannot be written, so that the sender learns why. */
const bodyOf = (request: IncomingMessage): AsyncIterable<Uint8Array> =>
  request.iterator({ destroyOnReturn: false });

async function writeSummed(path: string, body: AsyncIterable<Uint8Array>, first?: Buffer): Promise<Hash> {
  const sum = createHash('md5');
  const summed = async function* (pieces: AsyncIterable<Uint8Array>) {
    if (first) yield first;
    for await (const piece of pieces) {
      sum.update(piece);
      yield piece;
    }
  };
  await pipeline(body, summed, createWriteStream(path));
  return sum;
}

function assertLength({ headers }: IncomingMessage): void {
  const length = headers['content-length'];
  if (length === undefined)
    throw new Refusal(411, 'MissingContentLength', 'You must provide the Content-Length HTTP header');
  if (Number(length) > objectBytesMax)
    throw new Refusal(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size');
}

async function answerWith(
  file: FileHandle,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  const { size, mtime } = await file.stat();
  const { buffer } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  const { type, etag } = JSON.parse(buffer.toString()) as Head;
  const total = size - headBytes;
  const [from, to] = toRange(headers.range, total);
  const disposition = query.get('response-content-disposition');
  response.writeHead(headers.range === undefined ? 200 : 206, {
    'content-type': type,
    'content-length': to - from,
    'last-modified': mtime.toUTCString(),
    etag,
    'accept-ranges': 'bytes',
    ...(headers.range !== undefined && { 'content-range': `bytes ${from}-${to - 1}/${total}` }),
    ...(disposition !== null && { 'content-disposition': disposition }),
  });
  if (method === 'HEAD' || to === from) return void response.end();
  const bytes = file.createReadStream({ start: headBytes + from, end: headBytes + to - 1, autoClose: false });
  // A reader that goes away is no failure.
  await pipeline(bytes, response).catch(() => response.destroy());
}

/** @returns the first byte, and the one after the last @throws Refusal */
function toRange(range: string | undefined, total: number): [number, number] {
  if (range === undefined) return [0, total];
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  const from = first === '' ? Math.max(0, total - Number(last)) : Number(first);
  const to = first === '' || last === '' ? total : Math.min(total, Number(last) + 1);
  if ((first === '' && last === '') || from >= to)
    throw new Refusal(416, 'InvalidRange', 'The requested range is not satisfiable');
  return [from, to];
}

interface Part {
  number: number;
  etag: string;
  bytes: number;
  file: string;
}

const toPartName = (number: number, etag: string) => `${String(number).padStart(5, '0')}-${etag}`;

/** In their order. */
async function listParts(folder: string): Promise<Part[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{5}-/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      return { number: Number(name.slice(0, 5)), etag: name.slice(6), bytes: (await stat(file)).size, file };
    }),
  );
}

const readListedParts = (body: string) =>
  [...body.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>(\d+)<\/PartNumber>/.exec(part)?.[1]),
    etag: /<ETag>(?:"|&quot;)?([0-9a-f]+)/.exec(part)?.[1],
  }));

/** @throws Refusal where S3 refuses to complete an upload */
function chooseParts(listed: ReturnType<typeof readListedParts>, parts: readonly Part[]): Part[] {
  if (listed.length === 0) throw new Refusal(400, 'MalformedXML', 'The XML you provided has no parts');
  if (listed.some(({ number }, index) => number <= (listed[index - 1]?.number ?? 0)))
    throw new Refusal(400, 'InvalidPartOrder', 'The list of parts was not in ascending order');
  const chosen = listed.map(({ number, etag }) => {
    const part = parts.find((each) => each.number === number && each.etag === etag);
    if (!part)
      throw new Refusal(400, 'InvalidPart', `Part ${number} could not be found, or has another ETag`);
    return part;
  });
  if (chosen.slice(0, -1).some(({ bytes }) => bytes < partBytesMin))
    throw new Refusal(400, 'EntityTooSmall', 'A part but the last has less than 5 MB');
  return chosen;
}

async function* concatenate(files: readonly string[], first: Buffer): AsyncGenerator<Buffer, void> {
  yield first;
  for (const file of files) yield* createReadStream(file, { highWaterMark: 1_048_576 });
}

async function readBody(request: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > bodyBytesMax) throw new Refusal(400, 'MalformedXML', 'The list of parts is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function writeXml(response: ServerResponse, status: number, xml: string): void {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`;
  response
    .writeHead(status, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(body) })
    .end(body);
}

function refuse(error: unknown, request: IncomingMessage, response: ServerResponse): void {
  if ((request.destroyed && !request.complete) || response.headersSent) return void response.destroy();
  const { status, code, message } =
    error instanceof Refusal
      ? error
      : isFullDisk(error)
        ? new Refusal(507, 'InsufficientStorage', 'The disk is full')
        : new Refusal(500, 'InternalError', (error as Error).message);
  // Reads the rest of a short body, so that the connection can be used again.
  if (Number(request.headers['content-length']) > objectBytesMax) response.setHeader('connection', 'close');
  writeXml(response, status, `<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
  request.resume();
}

async function removeOlder(directory: string, suffix: string, before: number): Promise<void> {
  for await (const { name } of await opendir(directory)) {
    if (!name.endsWith(suffix)) continue;
    const path = join(directory, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < before) await rm(path, { recursive: true, force: true });
  }
}
