import type { Unmasked } from '../../../core/redaction/hidden.ts';
import { truncate } from '../../../core/text.ts';
import type { Note } from '../../../core/tracing/note.ts';
import type { PayloadRef, PayloadWriter } from '../../../platform/data/payloads.ts';
import type { StepResult } from '../../engine/engine.ts';
import { type Checkpoint, type StoredStepResult, sealedMark } from './checkpoint.ts';
import { modelUses } from './record-costs.ts';
import { formatRows } from './rows.ts';
import type { SealedValues } from './sealed-values.ts';

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
  | 'kept'
  | 'flowName'
> & { recordMetadata: Record<string, unknown>; flowName: string; input?: unknown };

/** These limits keep a checkpoint below the 400 KB of an item: all its results, one value of a result, the metadata. */
export const checkpointBytesMax = 150_000;
const valueBytesMax = 90_000;
const resultBytes = 500;
const previewLength = 1_000;

/** Several steps may keep something before a result is written. */
const keptBytesMax = 5_000;

/** What a step keeps, in place of which a sealed one is stored if it has values of secrets. */
export interface Kept extends Unmasked {
  value: unknown;
}

export const resultSizeBytes = ({
  output,
  unmasked,
  resolvedPrompt = '',
  error = '',
  errors = [],
  attempts = [],
  notes = [],
  warnings = [],
}: StepResult) =>
  Math.min(bytesOf(JSON.stringify(output) ?? ''), valueBytesMax) +
  (unmasked ? Math.min(2 * bytesOf(JSON.stringify(unmasked.value)), valueBytesMax) : 0) +
  Math.min(bytesOf(JSON.stringify(errors)), valueBytesMax) +
  Math.min(bytesOf(resolvedPrompt), valueBytesMax) +
  bytesOf(error) +
  bytesOf(JSON.stringify([attempts, notes, warnings])) +
  resultBytes;
const bytesOf = (text: string) => Buffer.byteLength(text);
export const sizeOfKept = (value: unknown) => Math.min(bytesOf(JSON.stringify(value)), keptBytesMax);

export async function encodeCheckpoint(
  { payloads, sealed: { seal } }: { payloads: PayloadWriter; sealed: Pick<SealedValues, 'seal'> },
  { recordMetadata, input, flowName: _flowName, startedIn, identity, ...facts }: CheckpointFacts,
  index: number,
  results: readonly StepResult[],
  keptValues: ReadonlyMap<string, Kept> = new Map(),
): Promise<Checkpoint> {
  const sealed = ({ unmasked }: Unmasked) => unmasked && seal(unmasked, facts.runId);
  const offload = (part: string, value: unknown, bytesMax = valueBytesMax) =>
    payloads.offload(`runs/${facts.runId}/${part}`, value, bytesMax);
  const kept = await Promise.all(
    [...keptValues].map(
      async ([path, { value, ...hidden }]) =>
        [
          hidden.unmasked ? `${path}${sealedMark}` : path,
          await offload(`${path}-kept`, (await sealed(hidden)) ?? value, keptBytesMax),
        ] as const,
    ),
  );
  const stored = await Promise.all(
    results.map(async (result) =>
      toStoredResult(result, await sealed(result), (part, value) => offload(`${result.path}-${part}`, value)),
    ),
  );
  const metadata = index === 0 ? await offload('metadata', recordMetadata) : undefined;
  const given = index === 0 && input !== undefined ? await offload('input', input) : undefined;
  const payloadRefs = [
    metadata,
    given,
    ...stored.flatMap(({ output, sealed, resolvedPrompt, errors }) => [
      output,
      sealed,
      resolvedPrompt,
      errors,
    ]),
    ...kept.map(([, payloadRef]) => payloadRef),
  ];
  const pointers = payloadRefs.flatMap((each) => (each && 'pointer' in each ? [each.pointer] : []));
  const models = new Set(modelUses(facts, stored).map(({ model }) => model));
  return {
    ...facts,
    index,
    ...(metadata && { recordMetadata: metadata }),
    ...(given && { input: given }),
    ...(index === 0 && startedIn !== undefined && { startedIn }),
    ...(index === 0 && identity !== undefined && { identity }),
    ...(kept.length > 0 && { kept: Object.fromEntries(kept) }),
    results: stored,
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
    warnings,
    errors,
    isSum,
  }: StepResult,
  sealed: string | undefined,
  offload: (part: string, value: unknown) => Promise<PayloadRef>,
): Promise<StoredStepResult> {
  const storedOutput = output === undefined ? undefined : await offload('output', output);
  const storedSealed = sealed === undefined ? undefined : await offload('sealed', sealed);
  const storedErrors = errors === undefined ? undefined : await offload('errors', errors);
  const storedPrompt = resolvedPrompt === undefined ? undefined : await offload('prompt', resolvedPrompt);
  return {
    path,
    retryCount,
    ...(attempts && { attempts }),
    ...(storedOutput && { output: storedOutput }),
    ...(storedOutput && 'pointer' in storedOutput && { preview: shortOutput(output) }),
    ...(storedSealed && { sealed: storedSealed }),
    ...(storedPrompt && { resolvedPrompt: storedPrompt }),
    ...(error !== undefined && { error }),
    ...(errorCode !== undefined && { errorCode }),
    ...(modelUsed !== undefined && { modelUsed }),
    ...((modelUsed !== undefined || isSum) && defined({ promptTokens, completionTokens, estimatedCost })),
    ...(isSum && defined({ isSum, savedCost })),
    ...(storedErrors && { errors: storedErrors }),
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(requestHash !== undefined && { request: requestHash }),
    ...(reusedFrom && { reusedFrom, savedCost }),
    ...(cacheSavings !== undefined && { cacheSavings }),
    ...(notes && { notes: notesBeside(notes, modelUsed !== undefined) }),
    ...(warnings && { warnings: [...warnings] }),
  };
}

/** Without the members that are undefined. */
const defined = <Members extends object>(members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Members>;

export const shortOutput = (output: unknown) =>
  truncate(typeof output === 'string' ? output : (JSON.stringify(output) ?? ''), previewLength);

/** The only model call of a step without what its result says of it. */
const notesBeside = ([first, ...others]: readonly Note[], hasModel: boolean): Note[] => {
  if (!first) return [];
  if (!hasModel || first.k !== 'm' || first.st !== undefined || others.length > 0) return [first, ...others];
  const { n: _model, u: [_input, _output, ...more] = [], c: _cost, ...rest } = first;
  return [{ ...rest, ...(more.some((tokens) => tokens > 0) && { u: [0, 0, ...more] }) }];
};
