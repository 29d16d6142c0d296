import { createHash } from 'node:crypto';

/** RFC 9110, 13.1.2: a list of ETags, compared weakly, or `*`. */
export const isEtagMatch = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch.split(',').some((each) => ['*', opaque(etag)].includes(opaque(each)));

/** A weak ETag: equal for values that mean the same, whatever their bytes are. */
export const weakEtag = (value: unknown) =>
  `W/"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`;

const opaque = (etag: string) => etag.trim().replace(/^W\//, '');
