import { ifMissing } from '../../core/errors/errors.ts';
import { readContext, tracedRun } from '../../core/tracing/trace-context.ts';
import { versionFinder } from '../../domain/flows/version-store.ts';
import { type Run, type RunKind, runKinds } from '../../domain/runs/run.ts';
import type { Trace } from '../../domain/runs/trace.ts';
import { toolExecutionReader } from '../../domain/tools/tool-execution.ts';
import { using } from '../../platform/aws/uses.ts';
import { type PayloadReader, type PayloadRef, payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentExecutionEntity } from '../agent-runs/agent-execution.ts';
import { batchEntity } from '../batches/batch.ts';
import { runFinder } from '../listed-runs/find-run.ts';
import { executionEntity } from '../runs/execution.ts';
import { readCheckpoints } from '../runs/read-checkpoints.ts';
import { type AgentReader, spanOfAgent, tracedAgentsMax } from './agent-trace.ts';
import { defined } from './attributes.ts';
import { spanOfBatch } from './batch-trace.ts';
import { openContent, traceContentBytesMax } from './content.ts';
import { spanOfFlow } from './flow-trace.ts';
import { findInsideSpan, onlyReadable } from './inside-trace.ts';
import { runSpan } from './run-span.ts';
import { flattenSpans, nodesIn, type SpanNode } from './span-node.ts';
import { spanOfTool } from './tool-trace.ts';

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
    const traceOf = tracers(scope);
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
      const { span, startedIn, ...known } = await traceOf(reader, run);
      if (content && kept) await addKept(span, payloadReader(scope), kept);
      Object.assign(span.attributes, defined({ 'session.id': run.sessionId, 'run.tags': run.tags }));
      const { traceId = tracedRun(id, startedIn).traceId } = known;
      const { parentSpanId = readContext(startedIn)?.spanId ?? null } = known;
      const { spans, truncated } = flattenSpans(onlyReadable(span, kinds), parentSpanId);
      return { traceId, runId: id, spans, truncated: truncated || reader.isTruncated };
    };
  },
);

/** Of a call of a model by itself. */
async function addKept(span: SpanNode, payloads: PayloadReader, kept: PayloadRef): Promise<void> {
  const call = [...nodesIn(span)].findLast(({ kind }) => kind === 'model') ?? span;
  Object.assign(call.attributes, await payloads.fetchReadable(kept));
}

function tracers(scope: Scope) {
  const { table } = scope;

  const byKind: Record<RunKind, (reader: AgentReader, run: Run) => Promise<Traced>> = {
    async batch(reader, run) {
      const batch = await table.get(batchEntity, { id: run.id });
      if (!batch) return { span: runSpan(run, {}, []) };
      return { span: await spanOfBatch(reader, run, batch), startedIn: batch.startedIn };
    },

    async agent(reader, run) {
      const execution = await table.get(agentExecutionEntity, { id: run.id }, { consistent: true });
      if (!execution) return { span: runSpan(run, {}, []) };
      return { span: await spanOfAgent(reader, execution), startedIn: execution.startedIn };
    },

    tool: spanOfTool,

    async flow(reader, run) {
      if (run.parentRunId !== undefined) return insideFlow(reader, run);
      const { id: runId, recordId = null, batchId, completedAt } = run;
      const [checkpoints, batch, execution] = await Promise.all([
        readCheckpoints(scope, { runId, recordId }),
        batchId ? table.get(batchEntity, { id: batchId }) : undefined,
        completedAt ? undefined : table.get(executionEntity, { id: runId }),
      ]);
      const startedIn =
        checkpoints[0]?.startedIn ?? execution?.startedIn ?? batch?.startedIn ?? run.startedIn;
      return { span: await spanOfFlow(reader, run, checkpoints), startedIn };
    },
  };

  /** The steps of a flow inside of a run are notes of the step or the call that runs it. */
  async function insideFlow(reader: AgentReader, run: Run): Promise<Traced> {
    const outer = await runFinder(scope)(run.rootRunId ?? '', runKinds).catch(ifMissing(undefined));
    const found = outer && (await byKind[outer.kind]({ ...reader, room: { left: tracedAgentsMax } }, outer));
    const inside = found && findInsideSpan(found.span, run.id);
    if (!inside) return { span: runSpan(run, { 'flow.id': run.flowId }, []) };
    const { traceId } = tracedRun(found.span.runId, found.startedIn);
    const { attributes } = runSpan(run, {}, []);
    const span = { ...inside.span, kind: 'run' as const };
    return { ...inside, span: { ...span, attributes: { ...attributes, ...span.attributes } }, traceId };
  }

  return (reader: AgentReader, run: Run) => byKind[run.kind](reader, run);
}
