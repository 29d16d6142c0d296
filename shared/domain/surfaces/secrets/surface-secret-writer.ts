import { rememberSecretValue } from '../../../core/redaction/known-values.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { surfaceSecretReader, surfaceSecretVault } from '../../secrets/secret-vault.ts';
import { assertWithinLimit } from '../../tenant-limits.ts';
import type { Surface } from '../surface/surface.ts';
import { listPlaintextIds } from '../surface/surface-secret-places.ts';
import { readPlaintexts } from './surface-plaintexts.ts';
import { surfaceSecretEntity, surfaceSecretsPartition } from './surface-secret-entity.ts';

interface StoredText {
  text: string;
  valueId: string;
}

/** One secret per surface, one version per set. The surface names its version, so a failed change leaves the plaintexts as is. */
export const surfaceSecretWriter = /* @__PURE__ */ using(
  ['table:write', surfaceSecretVault, surfaceSecretReader],
  (scope: Scope) => {
    const { table } = scope;
    const vault = surfaceSecretVault(scope);
    const reader = surfaceSecretReader(scope);

    /** Lists the surface before its secret exists, so that every secret can be found and counts for the limit. */
    async function list(surfaceId: string): Promise<void> {
      if (await table.get(surfaceSecretEntity, { surfaceId }, { consistent: true })) return;
      const count = await table.count({ partition: surfaceSecretsPartition });
      assertWithinLimit('surfaces with secrets', count + 1);
      await table.commit([table.writes.put(surfaceSecretEntity, { surfaceId })]);
    }

    /** A change may be decided several times. @returns a function that gives a surface's version. @throws 409 at the limit */
    return (plaintexts: ReadonlyMap<string, string>) => {
      let last: StoredText | undefined;
      return async (before: Surface, after: Surface): Promise<string | null> => {
        const [had, has] = [listPlaintextIds(before), listPlaintextIds(after)];
        if (had.length === has.length && has.every((id) => had.includes(id))) return before.valueId;
        const old = await readPlaintexts(reader, before);
        const values = has.map((id) => [id, plaintexts.get(id) ?? old[id] ?? ''] as const);
        for (const [, value] of values) rememberSecretValue(value);
        const text = JSON.stringify(Object.fromEntries(values));
        if (last?.text !== text) {
          if (before.valueId === null) await list(before.id);
          last = { text, valueId: await vault.store(before.id, text) };
        }
        return last.valueId;
      };
    };
  },
);
