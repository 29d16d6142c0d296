import type { Run } from '../../domain/runs/run.ts';
import { toolExecutionReader } from '../../domain/tools/tool-run-store.ts';
import { using } from '../../platform/aws/uses.ts';
import { countPayloadBytes, type PayloadRef, payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentExecutionEntity } from '../agent-runs/agent-execution.ts';
import type { RunInput } from '../agent-runs/agent-input.ts';
import { runLogReader } from '../agent-runs/run-log.ts';
import { batchEntity } from '../batches/batch.ts';
import { findLastOutput } from '../runs/list-run-results.ts';
import { readCheckpoints } from '../runs/read-checkpoints.ts';

export interface RunContent {
  input: unknown;
  output: unknown;
  /** A signed address of an output that is too large to show. */
  outputUrl?: string;
}

const shownBytesMax = 1_000_000;
const nothing: RunContent = { input: null, output: null };

/** What a run was given and what came of it, as far as it is stored. */
export const runContents = /* @__PURE__ */ using(
  ['table:read', payloadReader, toolExecutionReader],
  (scope: Scope) => {
    const { table } = scope;
    const payloads = payloadReader(scope);

    const fetchShown = async (value: PayloadRef | undefined): Promise<unknown> =>
      value && countPayloadBytes(value) <= shownBytesMax ? payloads.fetchReadable(value) : null;

    async function fetchOutput(
      output: PayloadRef | undefined,
    ): Promise<Pick<RunContent, 'output' | 'outputUrl'>> {
      if (!output || countPayloadBytes(output) <= shownBytesMax) return { output: await fetchShown(output) };
      return { output: null, ...('pointer' in output && { outputUrl: await payloads.signUrl(output) }) };
    }

    async function readAgentContent({ id }: Run): Promise<RunContent> {
      const execution = await table.get(agentExecutionEntity, { id });
      if (!execution?.isLogged) return nothing;
      const [storedInput, last] = await Promise.all([
        fetchShown(execution.input),
        runLogReader(scope).last(id),
      ]);
      const { messages = [] } = (storedInput ?? {}) as Partial<RunInput>;
      const output = last?.fact.type === 'end' ? last.fact.output : null;
      const isShown = Buffer.byteLength(JSON.stringify(output)) <= shownBytesMax;
      return { input: { messages }, output: isShown ? output : null };
    }

    async function readFlowContent({ id: runId, recordId, batchId }: Run): Promise<RunContent> {
      const [checkpoints, batch] = await Promise.all([
        readCheckpoints(scope, { runId, recordId: recordId ?? null }),
        batchId ? table.get(batchEntity, { id: batchId }) : undefined,
      ]);
      const input = checkpoints[0]?.input ?? batch?.dispatched?.input;
      const isOver = checkpoints.at(-1)?.end?.status === 'completed';
      return {
        input: await fetchShown(input),
        ...(await fetchOutput(isOver ? findLastOutput(checkpoints) : undefined)),
      };
    }

    async function readBatchContent({ id }: Run): Promise<RunContent> {
      const batch = await table.get(batchEntity, { id });
      if (!batch) return nothing;
      const { recordType, recordIds } = batch;
      return { input: recordType === null ? { recordIds: recordIds ?? null } : { recordType }, output: null };
    }

    async function readToolContent({ id, toolId = '' }: Run): Promise<RunContent> {
      const content = await toolExecutionReader(scope).content(toolId, id);
      return content
        ? { input: await fetchShown(content.input), ...(await fetchOutput(content.output)) }
        : nothing;
    }

    const byKind = {
      agent: readAgentContent,
      flow: readFlowContent,
      batch: readBatchContent,
      tool: readToolContent,
    };
    return (run: Run): Promise<RunContent> => byKind[run.kind](run);
  },
);
