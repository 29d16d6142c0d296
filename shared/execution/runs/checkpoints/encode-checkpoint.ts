import { truncate } from '../../../core/text.ts';
import type { Note } from '../../../core/tracing/note.ts';
import type { PayloadRef, PayloadStore } from '../../../platform/data/payloads.ts';
import type { StepResult } from '../../engine/engine.ts';
import type { Checkpoint, StoredStepResult } from './checkpoint.ts';
import { modelUsesOf } from './record-costs.ts';
import { formatRows } from './rows.ts';

export type CheckpointFacts = Omit<
  Checkpoint,
  | 'index'
  | 'results'
  | 'rows'
  | 'pointers'
  | 'models'
  | 'use'
  | 'recordMetadata'
  | 'input'
  | 'end'
  | 'finished'
  | 'removed'
  | 'waiting'
  | 'flowName'
> & { recordMetadata: Record<string, unknown>; flowName: string; input?: unknown };

/** These limits keep a checkpoint below the 400 KB of an item: all its results, one value of a result, the metadata. */
export const checkpointBytesMax = 150_000;
const valueBytesMax = 90_000;
const resultBytes = 500;
const previewLength = 1_000;

export const sizeOf = ({ output, resolvedPrompt = '', error = '', attempts = [], notes = [] }: StepResult) =>
  Math.min(bytesOf(JSON.stringify(output) ?? ''), valueBytesMax) +
  Math.min(bytesOf(resolvedPrompt), valueBytesMax) +
  bytesOf(error) +
  bytesOf(JSON.stringify([attempts, notes])) +
  resultBytes;
const bytesOf = (text: string) => Buffer.byteLength(text);

export async function checkpointOf(
  payloads: PayloadStore,
  { recordMetadata, input, flowName: _flowName, startedIn, ...facts }: CheckpointFacts,
  index: number,
  results: readonly StepResult[],
): Promise<Checkpoint> {
  const offload = (part: string, value: unknown) =>
    payloads.offload(`runs/${facts.runId}/${part}`, value, valueBytesMax);
  const kept = await Promise.all(
    results.map((result) =>
      toStoredResult(result, (part, value) => offload(`${result.path}-${part}`, value)),
    ),
  );
  const metadata = index === 0 ? await offload('metadata', recordMetadata) : undefined;
  const given = index === 0 && input !== undefined ? await offload('input', input) : undefined;
  const payloadRef = [
    metadata,
    given,
    ...kept.flatMap(({ output, resolvedPrompt }) => [output, resolvedPrompt]),
  ];
  const pointers = payloadRef.flatMap((each) => (each && 'pointer' in each ? [each.pointer] : []));
  const models = new Set(modelUsesOf(facts, kept).map(({ model }) => model));
  return {
    ...facts,
    index,
    ...(metadata && { recordMetadata: metadata }),
    ...(given && { input: given }),
    ...(index === 0 && startedIn !== undefined && { startedIn }),
    results: kept,
    rows: formatRows(
      facts.runId,
      results.map(({ stepId, status, startedAt, durationMs }) => [
        stepId,
        status,
        Date.parse(startedAt),
        durationMs,
      ]),
    ),
    ...(pointers.length > 0 && { pointers }),
    ...(models.size > 0 && { models: [...models] }),
  };
}

async function toStoredResult(
  {
    path,
    retryCount,
    attempts,
    output,
    resolvedPrompt,
    error,
    errorCode,
    modelUsed,
    promptTokens,
    completionTokens,
    cachedTokens,
    reasoningTokens,
    estimatedCost,
    requestHash,
    reusedFrom,
    savedCost,
    cacheSavings,
    notes,
  }: StepResult,
  offload: (part: string, value: unknown) => Promise<PayloadRef>,
): Promise<StoredStepResult> {
  const keptOutput = output === undefined ? undefined : await offload('output', output);
  const keptPrompt = resolvedPrompt === undefined ? undefined : await offload('prompt', resolvedPrompt);
  return {
    path,
    retryCount,
    ...(attempts && { attempts }),
    ...(keptOutput && { output: keptOutput }),
    ...(keptOutput && 'pointer' in keptOutput && { preview: shortOutput(output) }),
    ...(keptPrompt && { resolvedPrompt: keptPrompt }),
    ...(error !== undefined && { error }),
    ...(errorCode !== undefined && { errorCode }),
    ...(modelUsed !== undefined && { modelUsed, promptTokens, completionTokens, estimatedCost }),
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(requestHash !== undefined && { request: requestHash }),
    ...(reusedFrom && { reusedFrom, savedCost }),
    ...(cacheSavings !== undefined && { cacheSavings }),
    ...(notes && { notes: notesBeside(notes, modelUsed !== undefined) }),
  };
}

export const shortOutput = (output: unknown) =>
  truncate(typeof output === 'string' ? output : (JSON.stringify(output) ?? ''), previewLength);

/** The only model call of a step without what its result says of it. */
const notesBeside = ([first, ...others]: readonly Note[], hasModel: boolean): Note[] => {
  if (!first) return [];
  if (!hasModel || first.k !== 'm' || first.st !== undefined || others.length > 0) return [first, ...others];
  const { n: _model, u: [_input, _output, ...more] = [], c: _cost, ...rest } = first;
  return [{ ...rest, ...(more.some((tokens) => tokens > 0) && { u: [0, 0, ...more] }) }];
};
