import { loadingCache } from '../../core/cache.ts';
import { derivedId, timeOf } from '../../core/ids.ts';
import { ifRefused } from './condition-failed.ts';
import type { Scope } from './scope.ts';
import type { Version, Versioned, VersionKind } from './version-kind.ts';

/** Snapshots that this process has seen in the table, so that running them again costs no write. */
const seen = loadingCache<true>({ entriesMax: 10_000 });

/** Versions of content that is run without being published. */
export function versionSnapshots<D extends Versioned, V extends Version, Summary>(
  { table }: Pick<Scope, 'table'>,
  kind: VersionKind<D, V, Summary>,
) {
  return {
    /**
     * A version whose id follows from its document and its content, so that the same is stored once. Nothing is written.
     * @param facts What the version holds beside its content. @param content What the id follows from, as JSON.
     */
    of<Facts extends Pick<Version, 'number' | 'type' | 'createdAt'>>(
      documentId: string,
      facts: Facts,
      content: unknown,
    ) {
      const { number, type } = facts;
      const names = [documentId, number, type, JSON.stringify(content)];
      const id = derivedId(kind.idPrefix, timeOf(documentId), ...names);
      return { ...facts, id, label: null, notes: null };
    },

    /**
     * Writes down a snapshot, which may be there already. @param make Makes the version as it is stored.
     * @param ttl Unix seconds after which nobody asks for it; for good without it.
     */
    async keep(id: string, make: () => Promise<V>, ttl?: number): Promise<void> {
      await seen(`${table.tenant} ${id}${ttl === undefined ? '' : ' for a time'}`, async () => {
        const version = await make();
        const { put, insert } = table.writes;
        // One that is kept for good takes the place of one that is kept for a time.
        const write =
          ttl === undefined ? put(kind.entity, version) : insert(kind.entity, { ...version, ttl });
        await table.commit([write]).catch(ifRefused(undefined));
        return true;
      });
    },
  };
}
