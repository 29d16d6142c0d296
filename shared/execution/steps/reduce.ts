/**
 * Runs steps over many records, chunk by chunk, and then over the results, until one is left.
 *
 * The records are read once, when the step begins: their fields are packed into chunks, which are kept, so that a run that
 * resumes has the same. Each chunk is a list of its own, numbered over all levels; the engine stores its results, so a run
 * that was killed runs no chunk twice. What can be known before the first call is checked before it: the number of records, and
 * with `maxItems` that of levels.
 */

import { ServiceError } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { getFieldValue } from '../../core/filters/field.ts';
import {
  type ReduceConfig,
  reduceLevelsMax,
  reduceRecordsMax,
  reduceStep,
} from '../../domain/flows/step-types/reduce.ts';
import { createInsideError, openStop, type StepInside } from '../step-support/held-run.ts';
import { defineHoldingRunner } from '../step-support/step-runner.ts';

type Chunks = unknown[][];
type Step = StepInside<ReduceConfig>;

/** All fields together: they are kept with the run. */
const fieldBytesMax = 32_000_000;
const bytesPerToken = 4;
const chunksAtOnce = 5;

/** A chunk in it waits. */
const waiting = Symbol('waiting');

export const reduceRunner = defineHoldingRunner(reduceStep, {
  async hold(step) {
    const chunks = await getChunks(step);
    if (chunks.length === 0) return { output: null };
    const output = await (step.config.combine === 'tree' ? runTree : runSequence)(step, chunks);
    return output === waiting ? { isWaiting: true } : { output };
  },
});

/** The chunks, which stay the same when the run resumes. */
async function getChunks(step: Step): Promise<Chunks> {
  const kept = step.inside.kept();
  if (kept) return kept as Chunks;
  const chunks = packItems(await readItems(step), step.config.chunk, 1, () =>
    step.ports.warn({ code: 'CHUNK_TOO_LARGE', message: 'A record has more tokens than a chunk may have' }),
  );
  if (step.config.combine === 'tree' && step.config.chunk.maxItems !== undefined)
    assertLevels(countLevels(chunks.length, step.config.chunk.maxItems));
  step.inside.keep(chunks);
  return chunks;
}

function countLevels(chunks: number, perChunk: number): number {
  let levels = 1;
  for (let left = chunks; left > 1; left = Math.ceil(left / perChunk)) levels++;
  return levels;
}

function assertLevels(levels: number): void {
  if (levels > reduceLevelsMax)
    throw new StepError(`The results need more than ${reduceLevelsMax} levels; raise maxItems or maxTokens`);
}

async function readItems({ config: { from, fields }, ports }: Step): Promise<object[]> {
  const items: object[] = [];
  let bytes = 0;
  const add = (item: object) => {
    bytes += JSON.stringify(item).length;
    if (items.push(item) > reduceRecordsMax)
      throw new StepError(
        `More than ${reduceRecordsMax.toLocaleString('en')} records match; narrow the selection`,
      );
    if (bytes > fieldBytesMax)
      throw new StepError(
        'The fields have more than 32 MB together; name fewer fields, or narrow the selection',
      );
  };
  try {
    if (from.batchId !== undefined) {
      for await (const rows of ports.records.batchRows(from.batchId))
        for (const row of rows) add(pick(fields, (field) => valueAt(row, field)));
    } else {
      const query = { type: from.recordType ?? '', where: from.recordFilter };
      for await (const records of ports.records.pages(query))
        for (const record of records) add(pick(fields, (field) => getFieldValue(record, field)));
    }
  } catch (error) {
    throw error instanceof ServiceError ? new StepError(error.message) : error;
  }
  return items;
}

const pick = (fields: readonly string[], readField: (field: string) => unknown): object =>
  Object.fromEntries(fields.map((field) => [field, readField(field) ?? null]));

/** A column, or a path into one. */
function valueAt(row: Readonly<Record<string, unknown>>, field: string): unknown {
  for (let end = field.length; end > 0; end = field.lastIndexOf('.', end - 1)) {
    const column = field.slice(0, end);
    if (!Object.hasOwn(row, column)) continue;
    const inner = field.slice(end + 1);
    return inner === '' ? row[column] : inner.split('.').reduce<unknown>(memberOf, row[column]);
  }
  return undefined;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** @param least How many items a chunk takes whatever their size: results must become fewer. */
function packItems(
  items: readonly unknown[],
  { maxItems = Number.POSITIVE_INFINITY, maxTokens = Number.POSITIVE_INFINITY }: ReduceConfig['chunk'],
  least: number,
  onTooLarge: () => void,
): Chunks {
  const chunks: Chunks = [];
  let tokens = 0;
  for (const item of items) {
    const size = Math.ceil((JSON.stringify(item) ?? 'null').length / bytesPerToken);
    if (size > maxTokens) onTooLarge();
    const chunk = chunks.at(-1);
    tokens += size;
    if (chunk && chunk.length < maxItems && (tokens <= maxTokens || chunk.length < least)) chunk.push(item);
    else {
      chunks.push([item]);
      tokens = size;
    }
  }
  return chunks;
}

async function runTree(step: Step, chunks: Chunks): Promise<unknown> {
  let level = chunks;
  for (let [levels, first] = [1, 0]; ; levels++) {
    assertLevels(levels);
    const results = await runLevel(step, level, first);
    if (results === waiting) return waiting;
    if (results.length === 1) return results[0];
    first += level.length;
    level = packItems(results, step.config.chunk, 2, () => {});
  }
}

/** @param first The number of the first chunk among those of all levels. */
async function runLevel(step: Step, chunks: Chunks, first: number): Promise<unknown[] | typeof waiting> {
  const stop = openStop(step.signal);
  const results: unknown[] = [];
  let isWaiting = false;
  await step.inside.forEach(chunks.entries(), chunksAtOnce, ([index, items]) =>
    stop.runUnlessStopped(async () => {
      const result = await runChunk(step, first + index, { items, chunkIndex: index }, stop.signal);
      if (result instanceof StepError) stop.stop(result);
      else if (result === waiting) isWaiting = true;
      else results[index] = result;
    }),
  );
  if (stop.cause) throw stop.cause;
  return isWaiting ? waiting : results;
}

async function runSequence(step: Step, chunks: Chunks): Promise<unknown> {
  let previous: unknown = null;
  for (const [chunkIndex, items] of chunks.entries()) {
    const result = await runChunk(step, chunkIndex, { items, chunkIndex, previous }, step.signal);
    if (result instanceof StepError) throw result;
    if (result === waiting) return waiting;
    previous = result;
  }
  return previous;
}

/** @returns a StepError if the chunk fails, and the step with it */
async function runChunk(
  { config, inside }: Step,
  number: number,
  inputs: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const list = {
    key: `i${number}`,
    steps: config.steps,
    inputs,
    scope: 'own' as const,
    absorbs: false,
    signal,
  };
  const end = await inside.run(list);
  if (end.status === 'waiting') return waiting;
  return end.status === 'failed' ? createInsideError(`Chunk ${number}`, end.failure) : end.output;
}
