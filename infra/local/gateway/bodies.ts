import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { ServiceError, tooManyAtOnce } from '../../../shared/core/errors/errors.ts';
import { toNetwork } from '../../../shared/platform/auth/addresses.ts';
import { memoryBytes } from '../runtime/memory.ts';

/** API Gateway's limit of a body. */
export const bodyBytesMax = 10 * 1024 * 1024;

export interface BodyBounds {
  /** The bytes of bodies that are read or handled at a time, of the process and of a network. */
  bytes: number;
  bytesPerNetwork: number;
  /** So many bytes of a body must arrive in each second, on average over the grace time. */
  bytesPerSecondMin: number;
  graceMs: number;
  /** A body, however large, must be complete after so long and the grace time. */
  bodyMsMax: number;
}

/** A body takes several times its bytes: as a text, as the event of a Lambda, parsed and validated. */
export function bodyBounds(memory = memoryBytes()): BodyBounds {
  const bytes = Math.min(512 * 2 ** 20, Math.max(2 * bodyBytesMax, memory / 16));
  return { bytes, bytesPerNetwork: bytes / 2, bytesPerSecondMin: 500, graceMs: 20_000, bodyMsMax: 300_000 };
}

/** The number of connections bounds smaller bodies. */
const smallBytes = 64 * 1024;
const retryAfterSeconds = 2;

export type ReadBody = Buffer | 'too large' | 'too slow' | 'unknown coding';

/**
 * Reads bodies within bounds. A body counts with its announced length, otherwise with what has arrived, until its response is
 * sent. The function that it returns throws ServiceError BUSY or RATE_LIMITED above the bounds, before it reads, and an error if
 * the client leaves.
 */
export function bodyReader(bounds: BodyBounds) {
  const heldBy = new Map<string, number>();
  let held = 0;

  function hold(network: string, bytes: number): void {
    held += bytes;
    const networkBytes = (heldBy.get(network) ?? 0) + bytes;
    if (networkBytes === 0) heldBy.delete(network);
    else heldBy.set(network, networkBytes);
  }

  return async function read(request: IncomingMessage, response: ServerResponse): Promise<ReadBody> {
    if (request.destroyed) throw new Error(left);
    const { 'content-length': announced, 'transfer-encoding': encoding, expect } = request.headers;
    const length = encoding === undefined ? Number(announced ?? 0) : undefined;
    if (length === 0) return Buffer.alloc(0);
    if (length !== undefined && length > bodyBytesMax) return 'too large';
    const network = toNetwork(request.socket.remoteAddress ?? null);
    let bodyBytes = 0;
    const grow = (bytes: number) => {
      const more = bytes > smallBytes ? bytes - bodyBytes : 0;
      if (more <= 0) return;
      if ((heldBy.get(network) ?? 0) + more > bounds.bytesPerNetwork)
        throw tooManyAtOnce(ofNetwork, retryAfterSeconds);
      if (held + more > bounds.bytes) throw new ServiceError('BUSY', ofAll, { retryAfterSeconds });
      hold(network, more);
      bodyBytes += more;
    };
    response.once('close', () => hold(network, -bodyBytes));
    grow(length ?? 0);
    if (expect) response.writeContinue();
    const body = await collect(request, length, { grow, ...bounds });
    return Buffer.isBuffer(body) ? unpacked(body, request.headers['content-encoding'], grow) : body;
  };
}

const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate };
type Coding = keyof typeof decoders;

/** As API Gateway does, whose limit of a body holds for what it means. */
async function unpacked(body: Buffer, given = 'identity', grow: Collecting['grow']): Promise<ReadBody> {
  const coding = given.trim().toLowerCase();
  if (coding === 'identity') return body;
  if (!Object.hasOwn(decoders, coding)) return 'unknown coding';
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of Readable.from([body]).pipe(decoders[coding as Coding]())) {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) return 'too large';
      grow(bytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    return 'unknown coding';
  }
  return Buffer.concat(chunks);
}

const left = 'The client left before its body ended';
const ofNetwork =
  'Your address sends too much at a time. Send less at once, or the request again in a moment';
const ofAll = 'The service receives too much at the moment. Send the request again in a moment';

interface Collecting extends Pick<BodyBounds, 'bytesPerSecondMin' | 'graceMs' | 'bodyMsMax'> {
  /** Called before a body has so many bytes. */
  grow: (bytes: number) => void;
}

const checksInGrace = 4;

/** The memory of a body follows what has arrived, not what is announced. */
function collect(
  request: IncomingMessage,
  length: number | undefined,
  { grow, bytesPerSecondMin, graceMs, bodyMsMax }: Collecting,
): Promise<ReadBody> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadBody>();
  let body: Buffer = Buffer.allocUnsafe(Math.min(length ?? smallBytes, smallBytes));
  let bytes = 0;
  const begunAt = performance.now();
  const onData = (chunk: Buffer) => {
    const end = bytes + chunk.length;
    if (end > bodyBytesMax) return resolve('too large');
    try {
      if (length === undefined) grow(end);
    } catch (error) {
      return reject(error);
    }
    if (end > body.length)
      body = enlarged(body.subarray(0, bytes), Math.max(end, Math.min(2 * end, length ?? bodyBytesMax)));
    chunk.copy(body, bytes);
    bytes = end;
  };
  const before = Array.from({ length: checksInGrace }, () => Number.NEGATIVE_INFINITY);
  const check = () => {
    const counted = performance.now() - begunAt - graceMs;
    const lately = bytes - (before.shift() as number);
    before.push(bytes);
    const isSlow = lately < (graceMs / 1_000) * bytesPerSecondMin;
    // In proportion, so that one that cannot be complete in time does not hold its bytes until then.
    if (isSlow || bytes < (length ?? bytes) * (counted / bodyMsMax)) resolve('too slow');
  };
  const rate = setInterval(check, graceMs / checksInGrace);
  const onEnd = () => resolve(body.subarray(0, bytes));
  const onClose = () => reject(new Error(left));
  request.on('data', onData).once('end', onEnd).once('error', reject).once('close', onClose);
  return promise.finally(() => {
    clearInterval(rate);
    request.off('data', onData).off('end', onEnd).off('close', onClose);
  });
}

function enlarged(begun: Buffer, bytes: number): Buffer {
  const body = Buffer.allocUnsafe(bytes);
  begun.copy(body);
  return body;
}

const drainMs = 10_000;

/**
 * For a response to a request whose body is not read to its end: Node discards the rest, so that the client can read the
 * response. After ten seconds the connection is closed. A client that waits to be asked for its body is not asked.
 */
export function boundDrain(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  if (request.headers.expect) response.shouldKeepAlive = false;
  const timer = setTimeout(() => request.socket.destroy(), drainMs);
  for (const end of ['end', 'close'] as const) request.once(end, () => clearTimeout(timer));
  request.on('error', () => {}).resume();
}
