/**
 * Imports as callers have them: created, started once their file is there, followed, cancelled, and their records deleted.
 *
 * A file of more than 100 MB is uploaded in parts, which the start joins. `importStarter` pins the file, so that later uploads change nothing, and sends the message that has it read; a crash in between is
 * mended by the sweep. A status moves forward only, each time on the condition of the one before. What workers do is in
 * `shared/execution/imports`.
 */

import { conflict, invalidAt } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { findForbiddenMember } from '../../core/json/forbidden-members.ts';
import { encodingExamples, resolveEncoding } from '../../core/text-encoding.ts';
import { using } from '../../platform/aws/uses.ts';
import { cleanupQueue } from '../../platform/cleanup/cleanup.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import {
  jobUploads,
  type PinnedFile,
  partsFromBytes,
  type UploadedPart,
  uploadPartBytes,
  uploadSeconds,
} from '../jobs/job-files.ts';
import { jobQueue, toJobSweep } from '../jobs/job-queue.ts';
import type { Owner } from '../records/record.ts';
import { assertPathsDiffer, ImportFailure } from './columns.ts';
import {
  type ImportItem,
  type ImportStatus,
  importEntity,
  importsRange,
  isUnderWay,
  type NewImport,
  noCounts,
  type StartSettings,
} from './import.ts';

export interface UploadAddress {
  url: string;
  method: 'PUT';
  headers: Record<string, string>;
  expiresAt: string;
  /** For a large file, instead of `url`. */
  parts: { partNumber: number; bytes: number; url: string; isUploaded: boolean }[] | null;
}

const sizesOf = (bytes: number): number[] =>
  Array.from({ length: Math.ceil(bytes / uploadPartBytes) }, (_, index) =>
    Math.min(uploadPartBytes, bytes - index * uploadPartBytes),
  );

type Part = Pick<UploadedPart, 'partNumber' | 'bytes'>;

const hasPart = (there: readonly Part[], { partNumber, bytes }: Part): boolean =>
  there.some((part) => part.partNumber === partNumber && part.bytes === bytes);

const declaredBytes = ({ source }: NewImport) => ('upload' in source ? (source.upload.bytes ?? 0) : 0);

/** Where the file of an import is sent, signed anew, and which parts are there. */
export const uploadAddresses = /* @__PURE__ */ using([jobUploads], (scope: Scope) => {
  const uploads = jobUploads(scope);

  /** @returns null for one that needs no upload any more, or never did */
  return async ({ id, status, settings, uploadId }: ImportItem): Promise<UploadAddress | null> => {
    if (status !== 'awaiting-upload' || 'url' in settings.source) return null;
    const expiresAt = new Date(scope.now().getTime() + uploadSeconds * 1_000).toISOString();
    const address = { url: await uploads.sign(id), method: 'PUT' as const, headers: {}, expiresAt };
    const there = uploadId === undefined ? undefined : await uploads.listParts(id, uploadId);
    if (uploadId === undefined || !there) return { ...address, parts: null };
    const parts = sizesOf(declaredBytes(settings)).map(async (bytes, index) => {
      const partNumber = index + 1;
      const url = await uploads.sign(id, { partNumber: String(partNumber), uploadId });
      const isUploaded = hasPart(there, { partNumber, bytes });
      return { partNumber, bytes, url, isUploaded };
    });
    return { ...address, parts: await Promise.all(parts) };
  };
});

export const importReader = /* @__PURE__ */ using(['table:read'], ({ table }: Scope) => ({
  /** @throws 404 */
  find: (id: string): Promise<ImportItem> => table.find(importEntity, { id }, { consistent: true }),

  /** Newest first. */
  async list(query: CursorQuery) {
    const { rows, pagination } = await cursorPage(table, { ...importsRange, kind: 'import' }, query);
    const keys = rows.map(({ id }) => importEntity.key({ id: id as string }));
    return { imports: decodeReadable(importEntity, await table.getMany(keys)), pagination };
  },
}));

export const importCreator = /* @__PURE__ */ using(
  ['table:write', jobUploads, uploadAddresses],
  (scope: Scope) => {
    const { table } = scope;

    /** @throws 400 */
    return async (
      { userId, organizationId }: Owner,
      settings: NewImport,
    ): Promise<{ item: ImportItem; upload: UploadAddress | null }> => {
      assertSettings(settings);
      const id = scope.newId('import');
      const isLarge = declaredBytes(settings) > partsFromBytes;
      const uploadId = isLarge ? await jobUploads(scope).begin(id) : undefined;
      const item: ImportItem = {
        id,
        userId,
        organizationId,
        status: 'awaiting-upload',
        name: settings.name ?? nameOf(settings),
        settings,
        ...(settings.format && { format: settings.format }),
        ...(uploadId !== undefined && { uploadId }),
        cut: { chunks: 0, rows: 0, position: 0, isDone: false },
        chunksDone: 0,
        rowsRead: 0,
        ...noCounts(),
        bytesRead: 0,
        createdAt: getIdCreatedAt(id),
      };
      await table.commit([
        table.writes.insert(importEntity, { ...item, settings: JSON.stringify(settings) }),
      ]);
      return { item, upload: await uploadAddresses(scope)(item) };
    };
  },
);

const nameOf = ({ source }: NewImport): string => {
  const name =
    'upload' in source ? source.upload.fileName : (new URL(source.url).pathname.split('/').at(-1) ?? '');
  return name.trim().slice(0, 255).toWellFormed() || 'Import';
};

/** The settings of an import with those of its start in their place. @throws 400 */
export function withStartSettings(item: ImportItem, changed: StartSettings | undefined): NewImport {
  if (!changed) return item.settings;
  const { name, source } = item.settings;
  const settings = { ...changed, source, ...(name !== undefined && { name }) };
  assertSettings(settings, ['settings']);
  return settings;
}

/** @param above Where the settings are in the body. */
function assertSettings(
  { type, typeColumn, key, mode, columns, csv }: NewImport,
  above: string[] = [],
): void {
  const at = (name: string) => [...above, name].join('.');
  if (type === undefined && typeColumn === undefined)
    throw invalidAt(at('type'), 'MISSING_REQUIRED_FIELD', 'Required: type or typeColumn');
  if (type !== undefined && typeColumn !== undefined)
    throw invalidAt(at('typeColumn'), 'SEVERAL_TARGETS', 'Send either type or typeColumn');
  if (key && mode !== 'upsert')
    throw invalidAt(at('key'), 'INVALID_VALUE', 'Only an upsert finds records by a key. Send mode: "upsert"');
  // Not in the schema, by which those that are stored are read too.
  if (csv?.delimiter !== undefined && '"\r\n'.includes(csv.delimiter)) {
    const message = 'A quote or the end of a line cannot separate columns';
    throw invalidAt(at('csv.delimiter'), 'INVALID_VALUE', message);
  }
  if (csv?.encoding !== undefined && resolveEncoding(csv.encoding) === undefined) {
    const message = `No encoding. Such are ${encodingExamples}`;
    throw invalidAt(at('csv.encoding'), 'INVALID_VALUE', message);
  }
  try {
    const asked = Object.entries(columns).flatMap(([name, { to }]) =>
      to ? [{ name, path: to.split('.') }] : [],
    );
    if (asked.some(({ path }) => path.includes('')))
      throw new ImportFailure('INVALID_VALUE', 'A path has a name between each two dots');
    const forbidden = asked.find(({ path }) => findForbiddenMember(nest(path)));
    if (forbidden)
      throw new ImportFailure(
        'INVALID_VALUE',
        `The column "${forbidden.name}" goes to ${forbidden.path.join('.')}, which no record may have`,
      );
    assertPathsDiffer(asked);
  } catch (error) {
    if (error instanceof ImportFailure) throw invalidAt(at('columns'), 'INVALID_VALUE', error.message);
    throw error;
  }
}

const nest = (path: readonly string[]): unknown =>
  path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), null);

export const importStarter = /* @__PURE__ */ using(
  ['table:write', jobUploads, jobQueue, importReader],
  (scope: Scope) => {
    const { table, now } = scope;

    /**
     * @param changed Settings in place of those of the import.
     * @throws 400; 404; 409 if it was started before, or nothing was uploaded
     */
    return async (id: string, changed?: StartSettings): Promise<ImportItem> => {
      const item = await importReader(scope).find(id);
      assertStatus(item.status, 'awaiting-upload', 'was started before');
      const settings = withStartSettings(item, changed);
      const file = 'upload' in settings.source ? await pinUpload(scope, item) : undefined;
      const write = table.writes.update(
        importEntity,
        { id },
        {
          set: {
            status: 'queued',
            startedAt: now().toISOString(),
            ...(file && { file }),
            ...(changed && {
              settings: JSON.stringify(settings),
              ...(settings.format && { format: settings.format }),
            }),
          },
          index: toJobSweep(id, now()),
        },
        hasStatus('awaiting-upload'),
      );
      const started = await table.updateAndGet(importEntity, write).catch((error) => {
        throw error instanceof ConditionFailed ? conflict('The import was started before') : error;
      });
      await jobQueue(scope).send({ id, part: 'read' });
      return started;
    };
  },
);

/** Puts its parts together first, if it was sent in parts. @throws 409 */
export async function pinUpload(scope: Scope, item: ImportItem): Promise<PinnedFile> {
  const missing = await completeUpload(scope, item);
  const file = await jobUploads(scope).pin(item.id);
  if (file) return file;
  const message =
    missing.length > 0
      ? `Parts are not there yet, or have another size: ${missing.slice(0, 20).join(', ')}. Send each by PUT to its address (GET /v1/imports/{id} has them)`
      : 'The file is not there yet. Send it by PUT to the address that the import was created with';
  throw conflict({ code: 'UPLOAD_MISSING', message });
}

/** @returns the numbers of the parts that are missing, if some are there */
async function completeUpload(scope: Scope, { id, settings, uploadId }: ImportItem): Promise<number[]> {
  const uploads = jobUploads(scope);
  const there = uploadId === undefined ? undefined : await uploads.listParts(id, uploadId);
  if (uploadId === undefined || !there || there.length === 0) return [];
  const missing = sizesOf(declaredBytes(settings)).flatMap((bytes, index) =>
    hasPart(there, { partNumber: index + 1, bytes }) ? [] : [index + 1],
  );
  if (missing.length === 0) await uploads.complete(id, uploadId, there);
  return missing;
}

export const hasStatus = (status: ImportStatus) => ({
  expression: '#status = :expected',
  values: { expected: status },
});

function assertStatus(status: ImportStatus, expected: ImportStatus, message: string): void {
  if (status !== expected) throw conflict(`The import ${message}: it is ${status}`);
}

export const importCanceller = /* @__PURE__ */ using(
  ['table:write', jobQueue, importReader],
  (scope: Scope) => {
    const { table, now } = scope;

    /** What is stored stays. @throws 404; 409 after the end */
    return async (id: string): Promise<ImportItem> => {
      const { status } = await importReader(scope).find(id);
      if (status !== 'awaiting-upload' && !isUnderWay(status))
        throw conflict(`The import has ended: it is ${status}`);
      const write = table.writes.update(
        importEntity,
        { id },
        { set: { status: 'cancelled', completedAt: now().toISOString() }, removeFromIndex: 2 },
        {
          expression: '#status IN (:one, :two, :three)',
          values: { one: 'awaiting-upload', two: 'queued', three: 'running' },
        },
      );
      const cancelled = await table.updateAndGet(importEntity, write).catch((error) => {
        throw error instanceof ConditionFailed ? conflict('The import has ended') : error;
      });
      await jobQueue(scope).send({ id, part: 'end' });
      return cancelled;
    };
  },
);

export const importedRecordsRemover = /* @__PURE__ */ using(
  ['table:write', cleanupQueue, importReader],
  (scope: Scope) =>
    /** In the background, and again after a crash. @throws 404; 409 while it runs */
    async (id: string): Promise<void> => {
      const { status } = await importReader(scope).find(id);
      if (isUnderWay(status))
        throw conflict('The import is under way. Cancel it, or wait for its end, then delete its records');
      // A start in between would go on creating records behind the clean-up.
      const isStill = scope.table.writes.check(importEntity, { id }, hasStatus(status));
      await scope.table.commit([isStill, tombstoneWrite(scope, id)]).catch((error) => {
        throw error instanceof ConditionFailed
          ? conflict('The import was started, or ended, meanwhile')
          : error;
      });
      await cleanupQueue(scope).enqueue([id]);
    },
);
