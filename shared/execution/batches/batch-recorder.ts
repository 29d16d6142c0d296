import type { Scope } from '../../platform/data/scope.ts';
import type { Checkpoint } from '../runs/checkpoints/checkpoint.ts';
import { readCheckpoints, redeliveryExpiresAt } from '../runs/checkpoints/read-checkpoints.ts';
import { type FinalWrite, openRunRecorder, type RunRecorder } from '../runs/checkpoints/run-recorder.ts';
import type { Batch } from './batch.ts';
import { groupCommits, type RunCommits } from './group-commit.ts';
import type { RecordJob } from './record-jobs.ts';

/** Ends a record that was given up on, unless it has ended after all. */
export async function failRecord(scope: Scope, job: RecordJob, error: string): Promise<void> {
  if (!job.batch) return;
  const earlier = await earlierCheckpoints(scope, job);
  if (earlier.at(-1)?.end) return;
  const { batch } = job;
  await groupCommits(scope)((commits) => recorderOf(scope, job, batch, commits, earlier).finish(error));
}

/** What earlier attempts of a run wrote. */
export const earlierCheckpoints = async (scope: Scope, { message, firstCheckpoint }: RecordJob) =>
  !firstCheckpoint || firstCheckpoint.end
    ? [firstCheckpoint].filter((each) => each !== undefined)
    : readCheckpoints(scope, message);

/** Where a batch's run writes down what it does. */
export function recorderOf(
  scope: Scope,
  { message, record, flowDeleted }: RecordJob,
  { userId, organizationId, flowId, flowName, flowVersionId, ttl }: Batch,
  commits: RunCommits,
  earlier: readonly Checkpoint[],
): RunRecorder {
  const { batchId, recordId, runId, slot } = message;
  const { name: recordName = null, metadata: recordMetadata = {} } = record ?? {};
  const ids = { userId, organizationId, flowId, flowName, flowVersionId, batchId, runId, recordId };
  // What is written beside something deleted may come after its clean-up, and so has to go by itself.
  const isOrphan = flowDeleted || (recordId !== null && !record);
  const forgotten = isOrphan ? redeliveryExpiresAt(scope) : ttl;
  const facts = { ...ids, recordName, recordMetadata, ...(forgotten !== undefined && { ttl: forgotten }) };
  const commitEnd = (ending: FinalWrite) => commits.end({ ...ending, batchId, slot, isCounted: true });
  return openRunRecorder(scope, facts, commitEnd, { earlier, commitProgress: commits.progress });
}
