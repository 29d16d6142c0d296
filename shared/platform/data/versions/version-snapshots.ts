import { createLoadingCache } from '../../../core/cache.ts';
import { deriveId, getIdTimeMs } from '../../../core/ids.ts';
import { onConditionFailed } from '../condition-failed.ts';
import type { Scope } from '../scope.ts';
import { toStoredVersion, type Version, type Versioned, type VersionKind } from './version-kind.ts';

/** Snapshots that this process knows to be stored. Running them again writes nothing. */
const storeOnce = createLoadingCache<true>({ entriesMax: 10_000 });

/** Versions of unpublished content that is run. */
export function versionSnapshots<D extends Versioned, V extends Version, Summary>(
  { table }: Pick<Scope, 'table'>,
  kind: VersionKind<D, V, Summary>,
) {
  return {
    /**
     * Builds a version whose id is derived from its document and its content, so that equal content is stored once.
     * Writes nothing.
     * @param facts The fields of the version in addition to its content. @param content The hashed content, as JSON.
     */
    build<Facts extends Pick<Version, 'number' | 'type' | 'createdAt'>>(
      documentId: string,
      facts: Facts,
      content: unknown,
    ) {
      const { number, type } = facts;
      const names = [documentId, number, type, JSON.stringify(content)];
      const id = deriveId(kind.idPrefix, getIdTimeMs(documentId), ...names);
      return { ...facts, id, label: null, notes: null };
    },

    /**
     * Stores a snapshot unless it exists. @param make Builds the stored version.
     * @param ttl The expiry in Unix seconds; permanent without it.
     */
    async keep(id: string, make: () => Promise<V>, ttl?: number): Promise<void> {
      await storeOnce(`${table.tenant} ${id}${ttl === undefined ? '' : ' for a time'}`, async () => {
        const version = await make();
        const { put, insert } = table.writes;
        // A permanent snapshot replaces an expiring one.
        const write =
          ttl === undefined
            ? put(kind.entity, toStoredVersion(kind, version))
            : insert(kind.entity, toStoredVersion(kind, { ...version, ttl }));
        await table.commit([write]).catch(onConditionFailed(undefined));
        return true;
      });
    },
  };
}
