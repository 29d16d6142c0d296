import type { Context, SQSEvent } from 'aws-lambda';
import { addLogFields } from '../../shared/core/invocation.ts';
import { log } from '../../shared/core/log.ts';
import { JobMessage, jobQueue } from '../../shared/domain/jobs/job-queue.ts';
import { exportWriter } from '../../shared/execution/exports/write-export.ts';
import { importEnder } from '../../shared/execution/imports/end-import.ts';
import { fileReader } from '../../shared/execution/imports/read-file.ts';
import { chunkStorer } from '../../shared/execution/imports/store-chunk.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';
import { acquirePlace, placeDelaySeconds } from '../../shared/platform/tenant-pools.ts';

export const requirements = combineRequirements(
  ...[importEnder, fileReader, chunkStorer, exportWriter, jobQueue],
  'places:jobs',
  { memoryMb: 1_769 },
);

const pool = { name: 'jobs', variable: 'JOBS_TENANT_PLACES' };

/** Moves data in and out: a part of an import or an export for each message. Without a free place of the tenant, it asks again later. */
async function handle(event: SQSEvent, context: Context): Promise<void> {
  for (const { message } of parseMessages(JobMessage, event)) {
    const { tenant, waits = 0, ...part } = message;
    addLogFields({ tenant, jobId: part.id });
    const scope = productionRuntime().scopeOf(tenant);
    const place = await acquirePlace(scope, pool);
    if (!place) {
      log.info('A job waits for others of its tenant', { waits });
      await jobQueue(scope).send(part, { delaySeconds: placeDelaySeconds(waits), waits: waits + 1 });
      continue;
    }
    const time = { timeLeftMs: () => context.getRemainingTimeInMillis(), release: once(place.release) };
    await runPart(scope, message, time).finally(time.release);
  }
}

/** What comes next may take the place. */
function once(release: () => Promise<void>): () => Promise<void> {
  let released: Promise<void> | undefined;
  return () => {
    released ??= release();
    return released;
  };
}

async function runPart(
  scope: Scope,
  { id, part, chunk = 0 }: JobMessage,
  { timeLeftMs, release }: { timeLeftMs: () => number; release: () => Promise<void> },
): Promise<void> {
  const parts: Record<JobMessage['part'], () => Promise<void>> = {
    read: () => fileReader(scope)(id, timeLeftMs),
    chunk: () => chunkStorer(scope)(id, chunk, release),
    end: () => importEnder(scope)(id),
    write: () => exportWriter(scope)(id, timeLeftMs),
  };
  await parts[part]();
}

export const handler = toWorker('run-job', handle);
