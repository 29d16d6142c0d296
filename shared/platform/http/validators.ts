import { createHash } from 'node:crypto';

/** RFC 9110, 13.1.2: a list of ETags, compared weakly, or `*`. */
export const isEtagMatch = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch.split(',').some((each) => ['*', stripWeak(etag)].includes(stripWeak(each)));

/** A weak ETag: equal for values that mean the same, whatever their bytes are. */
export const createEtag = (value: unknown) =>
  `W/"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`;

const stripWeak = (etag: string) => etag.trim().replace(/^W\//, '');
