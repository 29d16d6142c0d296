import { toChunks } from '../../core/chunks.ts';
import type { Run } from '../../domain/runs/run.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import type { Batch } from '../batches/batch.ts';
import { type Checkpoint, checkpointEntity } from '../runs/checkpoint.ts';
import { checkpointsOfFlow } from '../runs/checkpoint-index.ts';
import { type AgentReader, addAgents } from './agent-trace.ts';
import { chooseRecords, type RecordOfBatch } from './choose-records.ts';
import { notedAgents, stepsByPath } from './flow-trace.ts';
import { runSpan } from './run-span.ts';
import { nodesIn, type SpanNode, spansMax } from './span-node.ts';
import type { StepsByPath } from './step-places.ts';
import { stepSpans } from './step-spans.ts';

/** So many index entries are read to choose the records of a trace. Most records have one or two. */
const entriesMax = 50_000;
const entriesAtOnce = 1_000;
/** Most have one checkpoint, of which a request reads 100. */
const recordsAtOnce = 100;

export async function spanOfBatch(reader: AgentReader, run: Run, batch: Batch): Promise<SpanNode> {
  const [records, steps] = await Promise.all([recordsOf(reader, batch), stepsByPath(reader.scope, batch)]);
  const span = runSpan(
    run,
    { 'flow.id': batch.flowId, 'flow.version.id': batch.flowVersionId, 'batch.records': batch.totalRecords },
    [],
  );
  const chosen = chooseRecords(records, spansMax - 1);
  if (chosen.length < records.length) reader.isTruncated = true;
  let left = spansMax - 1;
  for await (const record of recordSpans(reader, batch, chosen, steps)) {
    left -= [...nodesIn(record)].length;
    if (left < 0) reader.isTruncated = true;
    else span.children.push(record);
    if (left <= 0) break;
  }
  await addAgents(reader, span, await notedAgents(reader, span));
  return span;
}

/** The ids of its runs begin with the start of the batch, so they are one range of the index of the flow. */
async function recordsOf(reader: AgentReader, { id, flowId, startedAt }: Batch): Promise<RecordOfBatch[]> {
  const records = new Map<string, RecordOfBatch>();
  const query = { newestFirst: false, from: startedAt, to: startedAt, atFirst: entriesAtOnce };
  let read = 0;
  for await (const entry of checkpointsOfFlow(reader.scope.table, flowId, query)) {
    if (++read > entriesMax) {
      reader.isTruncated = true;
      break;
    }
    if (entry.batchId !== id) continue;
    const { recordId, runId, index, rows, finished } = entry;
    const known = records.get(runId);
    const starts = rows.map(([, , start]) => start);
    const ends = rows.map(([, , start, durationMs]) => start + durationMs);
    records.set(runId, {
      recordId: recordId ?? null,
      runId,
      checkpoints: index + 1,
      steps: (known?.steps ?? 0) + rows.length,
      start: Math.min(known?.start ?? Number.POSITIVE_INFINITY, ...starts),
      end: Math.max(known?.end ?? 0, ...ends),
      failed: finished?.status === 'failed',
    });
  }
  return [...records.values()];
}

async function* recordSpans(
  { scope: { table }, content }: AgentReader,
  batch: Batch,
  chosen: readonly RecordOfBatch[],
  steps: StepsByPath,
): AsyncGenerator<SpanNode, void> {
  for (const some of toChunks(chosen, recordsAtOnce)) {
    const keys = some.flatMap(({ recordId, runId, checkpoints }) =>
      Array.from({ length: checkpoints }, (_, index) => checkpointEntity.key({ recordId, runId, index })),
    );
    const found = decodeReadable(checkpointEntity, await table.getMany(keys, { consistent: true }));
    const ofRuns = Map.groupBy(found, ({ runId }) => runId);
    for (const { runId } of some) {
      const checkpoints = ofRuns.get(runId);
      if (checkpoints) yield recordSpan(batch, checkpoints, await stepSpans(checkpoints, steps, content));
    }
  }
}

function recordSpan(batch: Batch, checkpoints: readonly Checkpoint[], children: SpanNode[]): SpanNode {
  const last = checkpoints.at(-1) as Checkpoint;
  const { runId, recordId, end } = last;
  const ended = end ? Date.parse(end.at) : null;
  const began = Date.parse(batch.startedAt);
  const start = Math.min(...children.map((child) => child.start), ended ?? Number.POSITIVE_INFINITY);
  const failed = end?.status === 'failed';
  return {
    runId,
    path: '',
    name: 'record',
    kind: 'record',
    status: end ? (failed ? 'error' : 'ok') : last.waiting ? 'waiting' : 'running',
    start: Number.isFinite(start) ? start : began,
    end: ended,
    attributes: {
      'record.id': recordId,
      'run.id': runId,
      // How long it waited for a slot of the batch.
      'record.queue_ms': Number.isFinite(start) ? Math.max(0, start - began) : 0,
      ...(failed && { 'error.type': 'run_failed' }),
    },
    children,
  };
}
