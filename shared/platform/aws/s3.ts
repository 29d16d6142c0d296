/**
 * Requests to S3 without its SDK client, which would be the largest part of every bundle: signed by aws4fetch, retried, within
 * one time limit.
 *
 * Used for payloads (`data/payloads.ts`) and assets. Errors after all retries are `S3Error` with the status.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { requireEnv } from '../../core/environment.ts';
import { urlPart } from '../../core/text.ts';
import { readRoleCredentials } from './role-credentials.ts';

/** S3 rejected a request, or failed after all retries. */
export class S3Error extends Error {
  readonly status: number;

  constructor(status: number, method: string) {
    super(`S3 answered ${status} to ${method}`);
    this.status = status;
  }
}

/** An object that does not exist: a role that may not list the bucket gets a 403 for it. */
export const isMissingObject = (error: unknown): boolean =>
  error instanceof S3Error && [403, 404].includes(error.status);

/** Total, including retries. */
const timeoutMs = 60_000;

export interface S3Request {
  body?: Uint8Array;
  query?: URLSearchParams;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** aws4fetch (3 KB) signs it: the S3 client would be the largest part of every bundle (D112). @throws S3Error */
export async function requestS3(
  bucket: string,
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE',
  key: string,
  { body, query, headers = {}, signal }: S3Request = {},
): Promise<Response> {
  const client = await loadS3Client();
  const url = `${buildObjectUrl(bucket, key)}${query ? `?${query}` : ''}`;
  const timeout = AbortSignal.timeout(timeoutMs);
  const ending = signal ? AbortSignal.any([signal, timeout]) : timeout;
  for (let attempt = 0; ; attempt++) {
    const sent = { method, headers, ...(body && { body: body as Uint8Array<ArrayBuffer> }), signal: ending };
    const response = await client.fetch(url, sent);
    if (response.ok) return response;
    if (!isTransient(response.status) || attempt === retriesMax) throw new S3Error(response.status, method);
    await response.body?.cancel();
    await sleep(Math.random() * firstPauseMs * 2 ** attempt, undefined, { signal: ending });
  }
}

const retriesMax = 10;
const firstPauseMs = 50;
/** A full disk of the embedded stack, 507, is no matter of seconds. */
const isTransient = (status: number) => status === 429 || (status >= 500 && status !== 507);

/**
 * A presigned URL: anyone can read the object with it until it expires, or with PUT write it.
 * @param query What S3 is to answer with, such as a name of the file.
 */
export async function signObjectUrl(
  bucket: string,
  key: string,
  seconds: number,
  { method = 'GET', query = {} }: { method?: 'GET' | 'PUT'; query?: Record<string, string> } = {},
): Promise<string> {
  const client = await loadS3Client();
  const parameters = new URLSearchParams({ 'X-Amz-Expires': String(seconds), ...query });
  const url = `${buildObjectUrl(bucket, key)}?${parameters}`;
  return toReachable((await client.sign(url, { method, aws: { signQuery: true } })).url);
}

/**
 * The server of S3 in the embedded stack listens where only this machine reaches it. Its gateway passes on what comes to
 * `PUBLIC_ENDPOINT_URL_S3`, also from pages and from outside of a container (D297).
 */
function toReachable(signed: string): string {
  const { PUBLIC_ENDPOINT_URL_S3: reachable } = process.env;
  return reachable ? signed.replace(getEndpoint(), () => reachable) : signed;
}

async function loadS3Client() {
  const { AwsClient } = await import('aws4fetch');
  return new AwsClient({
    ...(await readRoleCredentials()),
    service: 's3',
    // It would also repeat what does not pass.
    retries: 0,
    region: requireEnv('AWS_REGION'),
  });
}

const getEndpoint = (): string =>
  process.env.AWS_ENDPOINT_URL_S3 ?? `https://s3.${requireEnv('AWS_REGION')}.amazonaws.com`;

const buildObjectUrl = (bucket: string, key: string): string =>
  `${getEndpoint()}/${bucket}/${encodePath(key)}`;

/** The key of an object by its URL, signed or not; undefined for URLs outside of the bucket. */
export function parseObjectKey(bucket: string, url: string): string | undefined {
  const [address = ''] = url.split(/[?#]/, 1);
  const bases = [buildObjectUrl(bucket, ''), toReachable(buildObjectUrl(bucket, ''))];
  const base = bases.find((each) => address.startsWith(each));
  return base === undefined ? undefined : decodePath(address.slice(base.length));
}

/** The opposite of {@link encodePath}; undefined if it is malformed. */
export function decodePath(path: string): string | undefined {
  try {
    return path.split('/').map(decodeURIComponent).join('/');
  } catch {
    return undefined;
  }
}

/** A key, encoded for the path of a URL. */
export const encodePath = (key: string) => key.split('/').map(urlPart).join('/');
