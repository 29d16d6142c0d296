/**
 * The trace of a run of any kind, built from what is stored: checkpoints, logs, notes and listings. Nothing is stored
 * for it alone.
 * By kind: a flow from its checkpoints, a batch from some of its records (the slowest, failed and latest while there is
 * room), an agent from its log, a tool from its execution. A flow inside of a run is cut out of the trace of the outer
 * run.
 * Agents that spans name are read and inserted afterwards, up to `tracedAgentsMax`. What the caller may not read is
 * reduced to its times.
 */

import { toChunks } from '../../core/chunks.ts';
import { ifMissing } from '../../core/errors/errors.ts';
import { readContext, runSpanId, toTracedRun } from '../../core/trace-context.ts';
import { walkSteps } from '../../domain/flows/steps/held-lists.ts';
import { versionFinder } from '../../domain/flows/version-store.ts';
import { type Run, type RunKind, runKinds } from '../../domain/runs/run.ts';
import type { Trace } from '../../domain/runs/trace.ts';
import { toolExecutionReader } from '../../domain/tools/tool-run-store.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { type PayloadReader, type PayloadRef, payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentExecutionEntity } from '../agent-runs/agent-execution.ts';
import { type Batch, batchEntity } from '../batches/batch.ts';
import { runFinder } from '../listed-runs/find-run.ts';
import { type Checkpoint, checkpointEntity } from '../runs/checkpoint.ts';
import { listFlowCheckpoints } from '../runs/checkpoint-index.ts';
import { executionEntity } from '../runs/execution.ts';
import { readCheckpoints } from '../runs/read-checkpoints.ts';
import { readStoredSteps, type StoredVersion } from '../runs/run-versions.ts';
import {
  type AgentReader,
  addAgents,
  readChildRuns,
  readExecutions,
  traceAgent,
  tracedAgentsMax,
} from './agent-trace.ts';
import { openContent, traceContentBytesMax } from './messages.ts';
import {
  flattenSpans,
  omitEmpty,
  type SpanNode,
  spansMax,
  toNoteSpans,
  toRunSpan,
  toToolAttributes,
  walkNodes,
} from './span-node.ts';
import { type StepsByPath, toStepSpans } from './step-spans.ts';

export interface TraceOptions {
  /** Kinds that the caller may read. Of others there is no trace, and nothing inside of one. */
  kinds?: readonly RunKind[];
  /** Prompts, outputs and messages of errors. */
  content?: boolean;
  /** That of a run whose content is stored nowhere else. */
  kept?: PayloadRef | undefined;
}

interface Traced {
  span: SpanNode;
  /** As stored with the run. */
  startedIn?: string | undefined;
  traceId?: string;
  parentSpanId?: string;
}

/** What happened in a run, derived from what is stored of it. @throws 404 also for a run that the caller may not read. */
export const runTrace = /* @__PURE__ */ using(
  ['table:read', payloadReader, runFinder, versionFinder, toolExecutionReader],
  (scope: Scope) => {
    const traceOf = openTracers(scope);
    return async (
      id: string,
      { kinds = runKinds, content = false, kept }: TraceOptions = {},
    ): Promise<Trace> => {
      const run = await runFinder(scope)(id, kinds);
      const reader: AgentReader = {
        scope,
        content: content ? openContent(payloadReader(scope), traceContentBytesMax) : undefined,
        room: { left: kinds.includes('agent') ? tracedAgentsMax : 0 },
        isTruncated: false,
      };
      const { span, startedIn, ...traced } = await traceOf(reader, run);
      if (content && kept) await addKept(span, payloadReader(scope), kept);
      Object.assign(span.attributes, omitEmpty({ 'session.id': run.sessionId, 'run.tags': run.tags }));
      const { traceId = toTracedRun(id, startedIn).traceId } = traced;
      const { parentSpanId = readContext(startedIn)?.spanId ?? null } = traced;
      const { spans, truncated } = flattenSpans(hideUnreadable(span, kinds), parentSpanId);
      return { traceId, runId: id, spans, truncated: truncated || reader.isTruncated };
    };
  },
);

/** Of a call of a model by itself. */
async function addKept(span: SpanNode, payloads: PayloadReader, kept: PayloadRef): Promise<void> {
  const call = [...walkNodes(span)].findLast(({ kind }) => kind === 'model') ?? span;
  Object.assign(call.attributes, await payloads.fetchReadable(kept));
}

function openTracers(scope: Scope) {
  const { table } = scope;

  const byKind: Record<RunKind, (reader: AgentReader, run: Run) => Promise<Traced>> = {
    async batch(reader, run) {
      const batch = await table.get(batchEntity, { id: run.id });
      if (!batch) return { span: toRunSpan(run, {}, []) };
      return { span: await traceBatch(reader, run, batch), startedIn: batch.startedIn };
    },

    async agent(reader, run) {
      const execution = await table.get(agentExecutionEntity, { id: run.id }, { consistent: true });
      if (!execution) return { span: toRunSpan(run, {}, []) };
      return { span: await traceAgent(reader, execution), startedIn: execution.startedIn };
    },

    tool: traceTool,

    async flow(reader, run) {
      if (run.parentRunId !== undefined && run.batchId === undefined) return traceInnerFlow(reader, run);
      const { id: runId, recordId = null, batchId, completedAt } = run;
      const [checkpoints, batch, execution] = await Promise.all([
        readCheckpoints(scope, { runId, recordId }),
        batchId ? table.get(batchEntity, { id: batchId }) : undefined,
        completedAt ? undefined : table.get(executionEntity, { id: runId }),
      ]);
      const startedIn =
        checkpoints[0]?.startedIn ?? execution?.startedIn ?? batch?.startedIn ?? run.startedIn;
      return { span: await traceFlow(reader, run, checkpoints), startedIn };
    },
  };

  /** The steps of a flow inside of a run are notes of the step or the call that runs it. */
  async function traceInnerFlow(reader: AgentReader, run: Run): Promise<Traced> {
    const outer = await runFinder(scope)(run.rootRunId ?? '', runKinds).catch(ifMissing(undefined));
    const found = outer && (await byKind[outer.kind]({ ...reader, room: { left: tracedAgentsMax } }, outer));
    const inside = found && findInsideSpan(found.span, run.id);
    if (!inside) return { span: toRunSpan(run, { 'flow.id': run.flowId }, []) };
    const { traceId } = toTracedRun(found.span.runId, found.startedIn);
    const { attributes } = toRunSpan(run, {}, []);
    const span = { ...inside.span, kind: 'run' as const };
    return { ...inside, span: { ...span, attributes: { ...attributes, ...span.attributes } }, traceId };
  }

  return (reader: AgentReader, run: Run) => byKind[run.kind](reader, run);
}

/** So many index entries are read to choose the records of a trace. Most records have one or two. */
const entriesMax = 50_000;
const entriesAtOnce = 1_000;
/** Most have one checkpoint, of which a request reads 100. */
const recordsAtOnce = 100;

async function traceBatch(reader: AgentReader, run: Run, batch: Batch): Promise<SpanNode> {
  const [records, steps] = await Promise.all([
    listRecords(reader, batch),
    readStepsByPath(reader.scope, batch),
  ]);
  const span = toRunSpan(
    run,
    { 'flow.id': batch.flowId, 'flow.version.id': batch.flowVersionId, 'batch.records': batch.totalRecords },
    [],
  );
  const chosen = chooseRecords(records, spansMax - 1);
  if (chosen.length < records.length) reader.isTruncated = true;
  let left = spansMax - 1;
  for await (const record of readRecordSpans(reader, batch, chosen, steps)) {
    left -= [...walkNodes(record)].length;
    if (left < 0) reader.isTruncated = true;
    else span.children.push(record);
    if (left <= 0) break;
  }
  await addAgents(reader, span, await readNotedAgents(reader, span));
  return span;
}

/** The ids of its runs begin with the start of the batch, so they are one range of the index of the flow. */
async function listRecords(reader: AgentReader, { id, flowId, startedAt }: Batch): Promise<RecordOfBatch[]> {
  const records = new Map<string, RecordOfBatch>();
  const query = { newestFirst: false, from: startedAt, to: startedAt, atFirst: entriesAtOnce };
  let read = 0;
  for await (const entry of listFlowCheckpoints(reader.scope.table, flowId, query)) {
    if (++read > entriesMax) {
      reader.isTruncated = true;
      break;
    }
    if (entry.batchId !== id) continue;
    const { recordId, runId, index, rows, finished } = entry;
    const before = records.get(runId);
    const starts = rows.map(([, , start]) => start);
    const ends = rows.map(([, , start, durationMs]) => start + durationMs);
    records.set(runId, {
      recordId: recordId ?? null,
      runId,
      checkpoints: index + 1,
      steps: (before?.steps ?? 0) + rows.length,
      start: Math.min(before?.start ?? Number.POSITIVE_INFINITY, ...starts),
      end: Math.max(before?.end ?? 0, ...ends),
      failed: finished?.status === 'failed',
    });
  }
  return [...records.values()];
}

async function* readRecordSpans(
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
      if (checkpoints) yield toRecordSpan(batch, checkpoints, await toStepSpans(checkpoints, steps, content));
    }
  }
}

function toRecordSpan(batch: Batch, checkpoints: readonly Checkpoint[], children: SpanNode[]): SpanNode {
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

/** A record of a batch, as the index of its flow shows it. */
interface RecordOfBatch {
  recordId: string | null;
  runId: string;
  /** How many checkpoints it has. */
  checkpoints: number;
  steps: number;
  /** These two in Unix milliseconds. */
  start: number;
  end: number;
  failed: boolean;
}

/** The slowest, the failed and the latest records in turns, while there is room for their spans. */
function chooseRecords(records: readonly RecordOfBatch[], spansMax: number): RecordOfBatch[] {
  const latest = records.toSorted((one, other) => other.end - one.end);
  const failed = latest.filter((record) => record.failed);
  const slowest = records.toSorted((one, other) => getDuration(other) - getDuration(one));
  const orders = [slowest, failed, latest].map((order) => order[Symbol.iterator]());
  const chosen = new Set<RecordOfBatch>();
  let left = spansMax;
  for (let open = orders.length; open > 0; ) {
    open = 0;
    for (const order of orders) {
      const record = takeNext(order, chosen);
      if (!record) continue;
      left -= record.steps + 1;
      if (left < 0) return [...chosen];
      chosen.add(record);
      open++;
    }
  }
  return [...chosen];
}

function takeNext(
  order: Iterator<RecordOfBatch>,
  chosen: ReadonlySet<RecordOfBatch>,
): RecordOfBatch | undefined {
  for (let next = order.next(); !next.done; next = order.next()) {
    if (!chosen.has(next.value)) return next.value;
  }
  return undefined;
}

const getDuration = ({ start, end }: RecordOfBatch) => end - start;

/** The span of a run inside of another, and that of what is around it. */
function findInsideSpan(root: SpanNode, runId: string): { span: SpanNode; parentSpanId: string } | undefined {
  for (const child of root.children) {
    if (child.kind === 'flow' && child.attributes['run.id'] === runId)
      return { span: child, parentSpanId: runSpanId(root.runId, root.path) };
    const found = findInsideSpan(child, runId);
    if (found) return found;
  }
  return undefined;
}

/** Of runs inside whose kind the caller may not read, there is nothing but when they ran. */
function hideUnreadable(node: SpanNode, kinds: readonly RunKind[]): SpanNode {
  const isHidden = (node.kind === 'agent' || node.kind === 'flow') && !kinds.includes(node.kind);
  if (!isHidden) return { ...node, children: node.children.map((child) => hideUnreadable(child, kinds)) };
  const { 'run.id': id, 'error.type': error } = node.attributes;
  const attributes = {
    ...(id !== undefined && { 'run.id': id }),
    ...(error !== undefined && { 'error.type': error }),
  };
  return { ...node, name: node.kind, attributes, children: [] };
}

/** A tool by itself. Its execution is kept for 30 days; then the run is all that is known. */
async function traceTool(reader: AgentReader, run: Run) {
  const { toolId = '', id, startedAt } = run;
  const { content } = reader;
  const stored = toolExecutionReader(reader.scope);
  const [execution, values] = await Promise.all([
    stored.execution(toolId, id),
    content && stored.content(toolId, id),
  ]);
  const attributes = { ...toToolAttributes({ name: run.name }), 'tool.id': toolId };
  const notes = toNoteSpans(execution?.notes ?? [], { runId: id, path: '', since: Date.parse(startedAt) });
  const span = toRunSpan(run, attributes, notes);
  const error = execution?.error;
  if (content) {
    const getParameters = (input: unknown) => (input as { parameters?: unknown } | null)?.parameters;
    Object.assign(
      span.attributes,
      await content.fetchValueAs('gen_ai.tool.call.arguments', values?.input, getParameters),
      await content.fetchValue('gen_ai.tool.call.result', values?.output),
      error && content.takeValue('error.message', error),
    );
  }
  await addAgents(reader, span, await readNotedAgents(reader, span));
  return { span, startedIn: execution?.startedIn };
}

/** The version of a deleted flow is gone: then its steps have no names. */
const readStepsByPath = async (scope: Scope, run: StoredVersion): Promise<StepsByPath> =>
  new Map([...walkSteps(await readStoredSteps(scope, run))].map(({ step, path }) => [path, step]));

async function traceFlow(
  reader: AgentReader,
  run: Run,
  checkpoints: readonly Checkpoint[],
): Promise<SpanNode> {
  const first = checkpoints[0];
  const steps = first ? await readStepsByPath(reader.scope, first) : new Map();
  // A call of a model by itself has no steps.
  const since = Date.parse(run.startedAt);
  const calls = toNoteSpans(run.notes ?? [], { runId: run.id, path: '', since });
  const children = [...calls, ...(await toStepSpans(checkpoints, steps, reader.content))];
  const span = toRunSpan(run, toFlowAttributes(run), children);
  const error = checkpoints.at(-1)?.end?.error ?? run.error?.message;
  if (reader.content && error)
    Object.assign(span.attributes, reader.content.takeValue('error.message', error));
  // While a step runs, only the index knows its agents.
  const isOver = span.end !== null;
  await addAgents(
    reader,
    span,
    await (isOver ? readNotedAgents(reader, span) : readChildRuns(reader, span.runId)),
  );
  return span;
}

/** The executions that notes name. */
const readNotedAgents = (reader: AgentReader, span: SpanNode) =>
  readExecutions(
    reader,
    [...walkNodes(span)].flatMap(({ kind, attributes }) =>
      kind === 'agent' ? [String(attributes['run.id'])] : [],
    ),
  );

const toFlowAttributes = ({ flowId, flowVersionId, recordId }: Run) => ({
  'flow.id': flowId,
  'flow.version.id': flowVersionId,
  'record.id': recordId,
});
