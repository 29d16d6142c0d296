import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { exportEntity, NewExport, toFileName } from '../../../../shared/domain/jobs/export.ts';
import { exportCreator } from '../../../../shared/domain/jobs/export-store.ts';
import { jobFileReader } from '../../../../shared/domain/jobs/job-files.ts';
import { exportWriter } from '../../../../shared/execution/exports/write-export.ts';
import { documentClient } from '../../../../shared/platform/data/client.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { tenantTable } from '../../../../shared/platform/data/table.ts';
import { importFile } from '../../../support/data/imports.ts';
import { newTenant, stack } from '../../../support/stack/stack.ts';

const minute = 60_000;
/** Three segments. */
const rows = 11_000;

test.each([
  ['csv', undefined],
  ['jsonl', 'gzip'],
  ['parquet', undefined],
] as const)(
  'an export as %s that is killed before and after each of its writes goes on, and its file is equal',
  async (format, compress) => {
    const tenant = await newTenant();
    const lines = Array.from({ length: rows }, (_, n) => `row ${n},${n}`);
    await importFile(tenant, `name,n\n${lines.join('\n')}\n`);
    const client = documentClient(new DynamoDBClient({}));
    const table = tenantTable(client, stack().table, tenant.tenant);
    let now = Date.now() + 365 * 24 * 60 * minute;
    const scope: Scope = { table, now: () => new Date(now), newId };
    const settings = NewExport.parse({ what: 'records', format, compress });

    /** A writer that dies at one of its writes, if it comes so far. @returns whether it died */
    async function write(id: string, dieAt: number, isAfter: boolean): Promise<boolean> {
      let [writes, isDead] = [0, false];
      const dying =
        <P extends unknown[], R>(send: (...parameters: P) => Promise<R>) =>
        async (...parameters: P): Promise<R> => {
          if (!isDead && ++writes === dieAt) {
            isDead = true;
            if (isAfter) await send(...parameters);
          }
          if (isDead) throw new Error('killed');
          return send(...parameters);
        };
      const updateAndGet = dying(table.updateAndGet as never) as typeof table.updateAndGet;
      const dyingTable = { ...table, commit: dying(table.commit), updateAndGet };
      await exportWriter({ ...scope, table: dyingTable })(id, () => 10 * minute).catch((error) =>
        expect(error.message).toBe('killed'),
      );
      return isDead;
    }

    const create = async () => {
      const owner = { userId: tenant.userId, organizationId: null };
      return (await exportCreator(scope)(owner, settings, { kinds: [], total: null })).id;
    };
    /** What the stack's own worker does beside it does no harm: the clock of this one is a year ahead. */
    const readFile = async (id: string) => {
      const item = await table.get(exportEntity, { id }, { consistent: true });
      expect(item).toMatchObject({ status: 'completed', rows });
      const { pointer = '', bytes = 0 } = item?.file ?? {};
      expect(pointer.endsWith(toFileName(settings))).toBe(true);
      const file = await jobFileReader(scope).readSlice({ key: pointer, bytes }, 0, bytes);
      return createHash('sha256')
        .update(compress ? gunzipSync(file) : file)
        .digest('hex');
    };

    const whole = await create();
    await write(whole, 0, false);
    const expected = await readFile(whole);
    let died = 0;
    for (let dieAt = 1, isOver = false; !isOver; dieAt++) {
      for (const isAfter of [false, true]) {
        const id = await create();
        isOver = !(await write(id, dieAt, isAfter));
        if (!isOver) died++;
        // The lease of the dead one ends.
        now += 2 * minute;
        await write(id, 0, false);
        expect(await readFile(id)).toBe(expected);
      }
    }
    // The lease, three segments and the end, each before and after.
    expect(died).toBeGreaterThanOrEqual(10);
  },
  240_000,
);
