/**
 * Sends the messages of jobs again that have done nothing for a while: after a crash between a write and its message, or a loss.
 *
 * The index of the sweep has a job from its start to its end, each time until 20 minutes after its last progress. Messages that
 * were not lost are then twice there, which does no harm: each part is done once. The worker `sweep` calls this.
 */

import { getIdKind } from '../../core/ids.ts';
import { log } from '../../core/log.ts';
import { chunkEntity, importEntity, isUnderWay } from '../../domain/imports/import.ts';
import { exportEntity } from '../../domain/jobs/export.ts';
import { jobQueue, jobSweep, toJobSweep } from '../../domain/jobs/job-queue.ts';
import { type DueItem, listDue } from '../../platform/cleanup/sweeps.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists } from '../../platform/data/writes.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { countLanes } from './read-file.ts';

export async function resendQuietJobs({ scopeOf }: Runtime, now: Date): Promise<void> {
  for await (const page of listDue(scopeOf('').table, jobSweep, now)) {
    for (const due of page) {
      await resendJob(scopeOf(due.tenant), toId(due)).catch((error) =>
        log.error('A job could not be sent again', { error, tenant: due.tenant, key: due.PK }),
      );
    }
  }
}

/** A key ends with the id. */
const toId = ({ PK }: DueItem) => PK.slice(PK.lastIndexOf('#') + 1);

async function resendJob(scope: Scope, id: string): Promise<void> {
  if (getIdKind(id) === 'import') await resendImport(scope, id);
  if (getIdKind(id) === 'export') await resendExport(scope, id);
}

async function resendExport(scope: Scope, id: string): Promise<void> {
  const { table, now } = scope;
  const write = table.writes.update(exportEntity, { id }, { index: toJobSweep(id, now()) }, exists);
  await table.commit([write]);
  log.warn('An export has done nothing for a while; its message is sent again', { exportId: id });
  await jobQueue(scope).send({ id, part: 'write' });
}

/** Of each lane the first chunk that is not stored, and the reading, which also looks for the end. */
async function resendImport(scope: Scope, id: string): Promise<void> {
  const { table, now } = scope;
  const item = await table.get(importEntity, { id }, { consistent: true });
  if (!item) return;
  const isOpen = isUnderWay(item.status);
  const changes = isOpen ? { index: toJobSweep(id, now()) } : ({ removeFromIndex: 2 } as const);
  await table.commit([table.writes.update(importEntity, { id }, changes, exists)]);
  if (!isOpen) return;
  log.warn('An import has done nothing for a while; its messages are sent again', { importId: id });
  const { send } = jobQueue(scope);
  await send({ id, part: 'read' });
  const stored = new Set<number>();
  const { PK: partition } = chunkEntity.key({ importId: id, chunk: 0 });
  for await (const chunks of table.pages({ partition, from: 'CHUNK#', to: 'CHUNK#~' }))
    for (const { isDone, chunk } of chunks) if (isDone) stored.add(chunk as number);
  const lanes = countLanes(item.settings);
  for (let lane = 0; lane < lanes; lane++) {
    let chunk = lane;
    while (stored.has(chunk)) chunk += lanes;
    if (chunk < item.cut.chunks) await send({ id, part: 'chunk', chunk });
  }
}
