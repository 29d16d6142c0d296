import { tokensOfText } from '../../adapters/models/usage.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { type PayloadRef, payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { checkpointEntity, parseRows, type StoredStepResult } from '../runs/checkpoint.ts';
import { listFlowCheckpoints, skipDeletedResults } from '../runs/checkpoint-index.ts';

/** A completed result of a step. */
export interface PastResult {
  recordId: string | null;
  model: string | undefined;
  /** Estimated, of the prompt alone. */
  promptEstimate: number;
  inputTokens: number;
  outputTokens: number;
  /** USD; null if it is not known. */
  cost: number | null;
  durationMs: number;
  output: () => Promise<unknown>;
}

export type History = ReadonlyMap<string, readonly PastResult[]>;

/** Of the newest checkpoints of the flow, over all its versions: an index page of each shard, and their items. */
const checkpointsMax = 300;
/** Fewer say nothing. */
export const resultsMin = 20;
const charactersPerToken = 3.5;

/** The newest results by step, of steps that ran themselves. */
export async function readHistory(scope: Scope, flowId: string): Promise<History> {
  const { table } = scope;
  const payloads = payloadReader(scope);
  const keys: ReturnType<typeof checkpointEntity.key>[] = [];
  const entries = listFlowCheckpoints(table, flowId, { newestFirst: true });
  for await (const { recordId, runId, index } of skipDeletedResults(table, 'record', entries)) {
    keys.push(checkpointEntity.key({ recordId, runId, index }));
    if (keys.length >= checkpointsMax) break;
  }
  const items = await table.getMany(keys);
  const results = new Map<string, PastResult[]>();
  for (const checkpoint of decodeReadable(checkpointEntity, items)) {
    const rows = parseRows(checkpoint);
    for (const [place, kept] of checkpoint.results.entries()) {
      const [stepId, status, , durationMs] = rows[place] ?? [];
      if (stepId === undefined || status !== 'completed' || kept.reusedFrom) continue;
      const ofStep = results.get(stepId) ?? [];
      if (ofStep.length === 0) results.set(stepId, ofStep);
      ofStep.push(toPastResult(kept, checkpoint.recordId, durationMs ?? 0, payloads.fetch));
    }
  }
  return results;
}

const toPastResult = (
  kept: StoredStepResult,
  recordId: string | null,
  durationMs: number,
  fetchPayload: (payload: PayloadRef) => Promise<unknown>,
): PastResult => ({
  recordId,
  model: kept.modelUsed,
  promptEstimate: kept.resolvedPrompt ? estimatePayloadTokens(kept.resolvedPrompt) : 0,
  inputTokens: kept.promptTokens ?? 0,
  outputTokens: kept.completionTokens ?? 0,
  cost: kept.estimatedCost === null ? null : Number(kept.estimatedCost ?? 0),
  durationMs,
  output: async () => kept.output && fetchPayload(kept.output),
});

const estimatePayloadTokens = (payload: PayloadRef): number =>
  'pointer' in payload
    ? payload.bytes / charactersPerToken
    : tokensOfText(String(JSON.parse(payload.inline)));
