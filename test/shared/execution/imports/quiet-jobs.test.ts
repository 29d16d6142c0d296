import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { importEntity } from '../../../../shared/domain/imports/import.ts';
import { jobUploads } from '../../../../shared/domain/jobs/job-files.ts';
import { toJobSweep } from '../../../../shared/domain/jobs/job-queue.ts';
import { resendQuietJobs } from '../../../../shared/execution/imports/quiet-jobs.ts';
import { documentClient } from '../../../../shared/platform/data/client.ts';
import { tenantTable } from '../../../../shared/platform/data/table.ts';
import { upload } from '../../../support/data/imports.ts';
import { eventually } from '../../../support/stack/eventually.ts';
import { newTenant, stack } from '../../../support/stack/stack.ts';

test('an import whose message was lost after its start goes on once the sweep finds it', async () => {
  const tenant = await newTenant();
  const id = await upload(tenant, 'name\na\nb\n');
  const scopeOf = (name: string) => ({
    table: tenantTable(documentClient(), stack().table, name),
    now: () => new Date(),
    newId,
  });
  const scope = scopeOf(tenant.tenant);
  const file = await jobUploads(scope).pin(id);
  const anHourAgo = new Date(Date.now() - 3_600_000);
  const write = scope.table.writes.update(
    importEntity,
    { id },
    {
      set: { status: 'queued', startedAt: anHourAgo.toISOString(), ...(file && { file }) },
      index: toJobSweep(id, anHourAgo),
    },
  );
  await scope.table.commit([write]);
  await resendQuietJobs({ scopeOf }, new Date());
  await eventually(async () =>
    expect((await tenant.call('GET', `/v1/imports/${id}`)).body).toMatchObject({
      status: 'completed',
      rows: { created: 2 },
    }),
  );
});
