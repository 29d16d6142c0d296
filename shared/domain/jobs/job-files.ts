/**
 * The files of imports and exports in the payload bucket: uploads of up to 5 GB, what an import cuts them into, and what an
 * export writes. Each job has a folder, `jobs/<tenant>/<id>/`.
 *
 * Uploads and exports are read in slices and written in parts, so that memory does not depend on their size; `readText` and `write`
 * are for small ones. Addresses of uploads hold for a day, those of downloads for an hour. What an import reads is pinned
 * when it starts, because the address of the upload can be used again: to a version of the object, or to a copy of it where
 * the bucket has no versions (the embedded stack). A rule of the bucket removes all after a week, also what was uploaded and
 * never started; a job that ends removes what nobody needs any more. A crash leaves files that the rule removes.
 */

import { requireEnv } from '../../core/environment.ts';
import {
  encodePath,
  isMissingObject,
  requestS3,
  type S3Request,
  signObjectUrl,
} from '../../platform/aws/s3.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** The prefix of all of them, for the rule of the bucket. */
export const jobFiles = 'jobs/';
export const jobFileDays = 7;

/** How long an address can be used. */
const addressSeconds = 3_600;
/** Of an upload, which may take long. */
export const uploadSeconds = 86_400;

const bucket = () => requireEnv('PAYLOAD_BUCKET');
const send = (method: Parameters<typeof requestS3>[1], key: string, options: S3Request = {}) =>
  requestS3(bucket(), method, key, options);

/** A file as it was at a moment. */
export interface PinnedFile {
  key: string;
  bytes: number;
  versionId?: string | undefined;
}

const toKey = ({ table }: Scope, id: string, name: string) => `${jobFiles}${table.tenant}/${id}/${name}`;

/** What is read at once of a file. */
const sliceBytes = 8_388_608;

export const jobFileReader = /* @__PURE__ */ using(['payloads:read'], (scope: Scope) => {
  async function readSlice({ key, versionId }: PinnedFile, from: number, to: number): Promise<Buffer> {
    if (to <= from) return Buffer.alloc(0);
    const query = versionId === undefined ? undefined : new URLSearchParams({ versionId });
    const headers = { range: `bytes=${from}-${to - 1}` };
    const response = await send('GET', key, { headers, ...(query && { query }), signal: scope.signal });
    return Buffer.from(await response.arrayBuffer());
  }

  return {
    readSlice,

    /** The bytes from a place on. The next slice is requested while one is used. */
    async *stream(file: PinnedFile, from = 0): AsyncGenerator<Buffer, void> {
      const sliceAt = (start: number) =>
        start < file.bytes ? readSlice(file, start, Math.min(start + sliceBytes, file.bytes)) : undefined;
      let next = sliceAt(from);
      for (let at = from; next; at += sliceBytes) {
        const slice = await next;
        next = sliceAt(at + sliceBytes);
        // It may fail while nobody waits for it.
        next?.catch(() => {});
        yield slice;
      }
    },

    async readText(id: string, name: string): Promise<string> {
      return (await send('GET', toKey(scope, id, name), { signal: scope.signal })).text();
    },

    /** An address from which whoever has it can load the file, for an hour. */
    signDownload: (id: string, name: string, fileName: string): Promise<string> =>
      signObjectUrl(bucket(), toKey(scope, id, name), addressSeconds, {
        query: { 'response-content-disposition': `attachment; filename="${fileName}"` },
      }),
  };
});

/** A file that is larger can be sent in parts of this size, each of which can be sent again. */
export const uploadPartBytes = 67_108_864;
export const partsFromBytes = 100_000_000;

export interface UploadedPart {
  partNumber: number;
  bytes: number;
  etag: string;
}

/** For uploads of callers: addresses to which a file, or its parts, can be put, and what was put there. */
export const jobUploads = /* @__PURE__ */ using(['payloads:read', 'payloads:write'], (scope: Scope) => ({
  /** @param query Of a part. */
  sign: (id: string, query: Record<string, string> = {}): Promise<string> =>
    signObjectUrl(bucket(), toKey(scope, id, 'upload'), uploadSeconds, { method: 'PUT', query }),

  /** @returns the id of an upload in parts */
  begin: (id: string): Promise<string> => beginParts(toKey(scope, id, 'upload'), 'application/octet-stream'),

  /** @returns undefined if the upload is completed, or has expired */
  async listParts(id: string, uploadId: string): Promise<UploadedPart[] | undefined> {
    const query = new URLSearchParams({ uploadId });
    const listed = await send('GET', toKey(scope, id, 'upload'), { query }).catch((error) => {
      if (isMissingObject(error)) return undefined;
      throw error;
    });
    if (!listed) return undefined;
    const member = (part: string, name: string) => new RegExp(`<${name}>([^<]*)<`).exec(part)?.[1] ?? '';
    return [...(await listed.text()).matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
      partNumber: Number(member(part, 'PartNumber')),
      bytes: Number(member(part, 'Size')),
      etag: member(part, 'ETag'),
    }));
  },

  async complete(id: string, uploadId: string, parts: readonly UploadedPart[]): Promise<void> {
    const tags = parts.map(({ etag }) => etag);
    await completeParts(toKey(scope, id, 'upload'), uploadId, tags).catch((error) => {
      // Another start was faster.
      if (!isMissingObject(error)) throw error;
    });
  },

  /** Later uploads to the address do not change it. @returns undefined if nothing was uploaded */
  async pin(id: string): Promise<PinnedFile | undefined> {
    const key = toKey(scope, id, 'upload');
    const found = await send('HEAD', key).catch((error) => {
      if (isMissingObject(error)) return undefined;
      throw error;
    });
    if (!found) return undefined;
    const bytes = Number(found.headers.get('content-length'));
    const versionId = found.headers.get('x-amz-version-id');
    if (versionId) return { key, bytes, versionId };
    const copy = toKey(scope, id, 'source');
    await assertDone(
      await send('PUT', copy, { headers: { 'x-amz-copy-source': `/${bucket()}/${encodePath(key)}` } }),
    );
    return { key: copy, bytes };
  },
}));

/** S3 takes parts of 5 MB at least, and 10,000 of them: 52 GB. Each is several times in memory while it is sent. */
const partBytes = 5_242_880;

export const jobFileWriter = /* @__PURE__ */ using(['payloads:write'], (scope: Scope) => ({
  /** @returns the number of bytes */
  async write(
    id: string,
    name: string,
    content: string | Buffer,
    type = 'application/json',
  ): Promise<number> {
    const body = Buffer.from(content as string);
    await send('PUT', toKey(scope, id, name), { body, headers: { 'content-type': type } });
    return body.length;
  },

  /** Writes while the pieces come. The file is there at the end, or not at all. @returns the number of bytes */
  async writeStream(
    id: string,
    name: string,
    pieces: AsyncIterable<Uint8Array>,
    type: string,
  ): Promise<number> {
    const upload = await beginUpload(toKey(scope, id, name), type);
    for await (const piece of pieces) await upload.add(piece);
    return upload.complete();
  },

  /** The key of a file, for the item that names it. */
  toPointer: (id: string, name: string): string => toKey(scope, id, name),
}));

async function beginParts(key: string, type: string): Promise<string> {
  const begun = await send('POST', key, {
    query: new URLSearchParams({ uploads: '' }),
    headers: { 'content-type': type },
  });
  return /<UploadId>([^<]+)<\/UploadId>/.exec(await begun.text())?.[1] ?? '';
}

/** @param tags Of the parts from the first on. */
async function completeParts(key: string, uploadId: string, tags: readonly string[]): Promise<void> {
  const parts = tags
    .map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
    .join('');
  const body = Buffer.from(`<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`);
  const completed = await send('POST', key, { body, query: new URLSearchParams({ uploadId }) });
  await assertDone(completed);
}

/** S3 answers before a copy or an object of parts is done, and says only in the body that it failed. */
async function assertDone(response: Response): Promise<void> {
  const text = await response.text();
  if (text.includes('<Error>')) throw new Error(`S3 could not put an object together: ${text.slice(0, 500)}`);
}

/** An object in several parts. What is not completed is removed by a rule of the bucket. */
async function beginUpload(key: string, type: string) {
  const uploadId = await beginParts(key, type);
  const tags: string[] = [];
  // One for all parts: each would stay in memory until it is collected.
  const part = Buffer.alloc(partBytes);
  let [heldBytes, bytes] = [0, 0];
  async function sendPart(): Promise<void> {
    const query = new URLSearchParams({ partNumber: String(tags.length + 1), uploadId });
    const { headers } = await send('PUT', key, { body: part.subarray(0, heldBytes), query });
    tags.push(headers.get('etag') ?? '');
    heldBytes = 0;
  }
  return {
    async add(piece: Uint8Array): Promise<void> {
      bytes += piece.length;
      for (let at = 0; at < piece.length; ) {
        const some = piece.subarray(at, at + partBytes - heldBytes);
        part.set(some, heldBytes);
        heldBytes += some.length;
        at += some.length;
        if (heldBytes === partBytes) await sendPart();
      }
    },
    async complete(): Promise<number> {
      if (heldBytes > 0 || tags.length === 0) await sendPart();
      await completeParts(key, uploadId, tags);
      return bytes;
    },
  };
}

/** Removes the parts of an upload, whose addresses take nothing any more; without effect once it is completed. */
export const jobUploadAborter = /* @__PURE__ */ using(
  ['payloads:delete'],
  (scope: Scope) =>
    async (id: string, uploadId: string): Promise<void> => {
      const query = new URLSearchParams({ uploadId });
      await send('DELETE', toKey(scope, id, 'upload'), { query }).catch((error) => {
        if (!isMissingObject(error)) throw error;
      });
    },
);

export const jobFileRemover = /* @__PURE__ */ using(
  ['payloads:delete'],
  (scope: Scope) =>
    async (id: string, names: readonly string[]): Promise<void> => {
      await Promise.all(names.map((name) => send('DELETE', toKey(scope, id, name))));
    },
);
