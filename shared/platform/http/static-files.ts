/**
 * Serves the files of a built site (console, reference, landing pages) from a manifest: the route, the content coding, the
 * ETag.
 * Pure except for `read`; `functions/static-files.ts` gives the manifest and the reader. A request that is not counted
 * still gets rate-limit headers, so that clients which read them wait.
 */
import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { noSuchEndpoint, type ServiceError } from '../../core/errors/errors.ts';
import { createUncountedLimit, toRateLimitHeaders } from '../auth/rate-limit-windows.ts';

/** Stands for the origins of the issuer’s token endpoint, unknown when the site is built. */
export const issuerOriginsPlaceholder = '{issuer-origins}';

/** In order of preference: smallest first. */
const contentCodings = ['br', 'gzip', 'identity'] as const;
export type ContentCoding = (typeof contentCodings)[number];

/** A file in one content coding: the name of its stored bytes, and its strong ETag. */
interface Representation {
  storedAs: string;
  etag: string;
}

export interface StaticFile {
  headers: Readonly<Record<string, string>>;
  codings: Readonly<Partial<Record<ContentCoding, Representation>> & { identity: Representation }>;
}

/** By path. A file at `{proxy+}` serves the paths below it that have neither a file nor an extension. */
export type FileManifest = Readonly<Record<string, StaticFile>>;

export type StaticRequest = Pick<APIGatewayProxyEvent, 'resource' | 'pathParameters' | 'headers'> & {
  requestContext: Pick<APIGatewayProxyEvent['requestContext'], 'httpMethod' | 'path'>;
};

export interface StaticResponse {
  statusCode: 200 | 304 | 308 | 404;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** @param read Returns stored bytes by name. */
export async function serveStaticFile(
  manifest: FileManifest,
  read: (storedAs: string) => Promise<Uint8Array>,
  request: StaticRequest,
): Promise<StaticResponse> {
  const file = findFile(manifest, request);
  if (!file) return respondNotFound(request);
  const location = removeSlash(request);
  if (location) return { statusCode: 308, headers: { ...file.headers, location }, body: empty };
  const coding = chooseCoding(file, readHeader(request, 'accept-encoding'));
  const { storedAs, etag } = file.codings[coding] ?? file.codings.identity;
  const headers = {
    ...file.headers,
    ...toRateLimitHeaders(createUncountedLimit()),
    etag,
    ...(Object.keys(file.codings).length > 1 && { vary: 'Accept-Encoding' }),
  };
  if (isEtagMatch(readHeader(request, 'if-none-match'), etag))
    return { statusCode: 304, headers, body: empty };
  return {
    statusCode: 200,
    headers: { ...headers, ...(coding !== 'identity' && { 'content-encoding': coding }) },
    body: await read(storedAs),
  };
}

const empty = new Uint8Array();

/** Resolves by route, because the event's path may include the base path of a custom domain. */
function findFile(
  manifest: FileManifest,
  { resource, pathParameters }: StaticRequest,
): StaticFile | undefined {
  const path = resource.replace('{proxy+}', pathParameters?.proxy ?? '').replace(/\/$/, '');
  const isPage = !/\.\w+$/.test(path);
  const [key] = [path, ...(isPage ? [resource] : [])].filter((each) => Object.hasOwn(manifest, each));
  return key === undefined ? undefined : manifest[key];
}

/** API Gateway ignores a trailing slash, which breaks relative addresses. Relative itself, for stages before it. */
function removeSlash({ requestContext: { path } }: StaticRequest): string | undefined {
  const [last, page] = path.split('/').toReversed();
  return last === '' && page ? `../${page}` : undefined;
}

function readHeader({ headers }: StaticRequest, name: string): string {
  const [, value] = Object.entries(headers ?? {}).find(([each]) => each.toLowerCase() === name) ?? [];
  return value ?? '';
}

/** RFC 9110, 12.5.3: each coding may have a weight; 0 refuses it. */
function chooseCoding({ codings }: StaticFile, acceptEncoding: string): ContentCoding {
  const accepted = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()))
    .filter(([, weight = '']) => !/^q=0(?:\.0*)?$/.test(weight))
    .map(([name]) => name);
  return contentCodings.find((coding) => codings[coding] && accepted.includes(coding)) ?? 'identity';
}

/** The response of API Gateway to an unknown path. */
const respondNotFound = ({ requestContext: { httpMethod, path } }: StaticRequest): StaticResponse => ({
  statusCode: 404,
  headers: { 'content-type': 'application/json', ...toRateLimitHeaders(createUncountedLimit()) },
  body: Buffer.from(JSON.stringify(toBody(noSuchEndpoint(httpMethod, path)))),
});

const toBody = ({ message: error, details }: ServiceError) => ({ error, details });

/** RFC 9110, 13.1.2: a list of ETags, compared weakly, or `*`. */
export const isEtagMatch = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch.split(',').some((each) => ['*', stripWeak(etag)].includes(stripWeak(each)));

/** A weak ETag: equal for values that mean the same, whatever their bytes are. */
export const createEtag = (value: unknown) =>
  `W/"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`;

const stripWeak = (etag: string) => etag.trim().replace(/^W\//, '');
