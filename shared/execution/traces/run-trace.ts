import { notFound } from '../../core/errors/errors.ts';
import { readContext, tracedRun } from '../../core/tracing/trace-context.ts';
import { versionStore } from '../../domain/flows/version-store.ts';
import { type Run, type RunKind, runEntity } from '../../domain/runs/run.ts';
import type { Trace } from '../../domain/runs/trace.ts';
import { toolExecutionStore } from '../../domain/tools/tool-execution.ts';
import { using } from '../../platform/aws/uses.ts';
import { decode } from '../../platform/data/entity.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type AgentExecution, agentExecutionEntity } from '../agent-runs/executions/agent-execution.ts';
import { runLog } from '../agent-runs/log/run-log.ts';
import { type Batch, batchEntity } from '../batches/batch.ts';
import { batchStore } from '../batches/batch-store.ts';
import { readCheckpoints } from '../runs/checkpoints/read-checkpoints.ts';
import { type Execution, executionEntity } from '../runs/execution.ts';
import { type AgentReader, agentsMax, spanOfAgent } from './agent-trace.ts';
import { spanOfBatch } from './batch-trace.ts';
import { openContent } from './content.ts';
import { spanOfFlow } from './flow-trace.ts';
import { type SpanNode, spansOf } from './span-node.ts';
import { spanOfTool } from './tool-trace.ts';

/** Beside the spans themselves, which take up to 3 MB of a response. */
const contentBytesMax = 2_000_000;

export interface TraceOptions {
  /** Kinds that the caller may read. Of others there is no trace, and nothing inside of one. */
  kinds: ReadonlySet<RunKind>;
  content?: boolean;
}

interface Found {
  span: SpanNode;
  startedIn: string | undefined;
}

/** What happened in a run, derived from what is stored of it. */
export const runTraces = /* @__PURE__ */ using(
  ['table:read', payloadStore, runLog, batchStore, versionStore, toolExecutionStore],
  (scope: Scope) => {
    const { table } = scope;

    async function stored(id: string) {
      const keys = [
        runEntity.key({ id }),
        runEntity.key({ id, parentRunId: id }),
        id.startsWith('batch_') ? batchEntity.key({ id }) : agentExecutionEntity.key({ id }),
        executionEntity.key({ id }),
      ];
      const [root, inside, main, open] = await table.getMany(keys, { consistent: true });
      const row = root ?? inside;
      return {
        run: row && decode(runEntity, row),
        batch: main && id.startsWith('batch_') ? decode(batchEntity, main) : undefined,
        agent: main && !id.startsWith('batch_') ? decode(agentExecutionEntity, main) : undefined,
        execution: open && decode(executionEntity, open),
      };
    }

    async function find(
      reader: AgentReader,
      id: string,
      kinds: TraceOptions['kinds'],
    ): Promise<Found | undefined> {
      const { run, batch, agent, execution } = await stored(id);
      if (agent) return kinds.has('agent') ? ofAgent(reader, agent) : undefined;
      if (run?.kind === 'tool') return kinds.has('tool') ? spanOfTool(reader, run) : undefined;
      if (!kinds.has('flow')) return undefined;
      if (batch) return ofBatch(reader, batch);
      return id.startsWith('exec_') ? ofFlow(reader, id, run, execution) : undefined;
    }

    const ofAgent = async (reader: AgentReader, agent: AgentExecution): Promise<Found> => ({
      span: await spanOfAgent(reader, agent),
      startedIn: agent.startedIn,
    });

    /** A run that goes on as a batch is traced by its own id. */
    async function ofBatch(reader: AgentReader, batch: Batch): Promise<Found | undefined> {
      const { dispatched, startedIn } = batch;
      if (!dispatched) return { span: await spanOfBatch(reader, batch), startedIn };
      const { run } = await stored(dispatched.runId);
      const recordId = dispatched.recordId ?? undefined;
      const found = await ofFlow(reader, dispatched.runId, run, undefined, recordId);
      return found && { ...found, startedIn: found.startedIn ?? startedIn };
    }

    async function ofFlow(
      reader: AgentReader,
      runId: string,
      run: Run | undefined,
      execution: Execution | undefined,
      recordId: string | null = run?.recordId ?? execution?.recordId ?? null,
    ): Promise<Found | undefined> {
      const checkpoints = await readCheckpoints(scope, { runId, recordId });
      if (!run && checkpoints.length === 0) return undefined;
      const startedIn = checkpoints[0]?.startedIn ?? execution?.startedIn;
      return { span: await spanOfFlow(reader, run, checkpoints), startedIn };
    }

    /** @throws 404 also for a run that the caller may not read. */
    return async (id: string, { kinds, content = false }: TraceOptions): Promise<Trace> => {
      const reader: AgentReader = {
        scope,
        content: content ? openContent(payloadStore(scope), contentBytesMax) : undefined,
        room: { left: kinds.has('agent') ? agentsMax : 0 },
        isTruncated: false,
      };
      const found = await find(reader, id, kinds);
      if (!found) throw notFound('Run');
      const { span, startedIn } = found;
      const { traceId } = tracedRun(span.runId, startedIn);
      const { spans, truncated } = spansOf(span, readContext(startedIn)?.spanId ?? null);
      return { traceId, runId: span.runId, spans, truncated: truncated || reader.isTruncated };
    };
  },
);
