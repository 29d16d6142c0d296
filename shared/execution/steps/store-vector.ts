import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { StoredVector } from '../../adapters/ports/vectors-port.ts';
import { parseVector } from '../../adapters/vectors/vector.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { readPath } from '../../core/json/json.ts';
import { storeVectorStep } from '../../domain/flows/step-types/store-vector.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

const vectorsMax = 10_000;
const collectionCharactersMax = 255;

export const storeVectorRunner = defineActingRunner(storeVectorStep, {
  async plan({ config, variables, render }) {
    const collection = parseCollection(await render(config.destination));
    const vectors = readVectors(readPath(variables, config.vectorsSource), config.vectorsSource);
    return { request: { collection, vectors } };
  },

  async perform({ collection, vectors }, { ports }) {
    await ports.vectors.put(collection, vectors);
    const ids = vectors.map(({ id }) => id);
    return { output: { collection, count: ids.length, ids } };
  },
});

/** The name of a collection, with its template rendered. @throws StepError */
export function parseCollection(text: string): string {
  const name = text.trim();
  if (name.length > 0 && name.length <= collectionCharactersMax) return name;
  throw new StepError(
    `A collection name has 1 to ${collectionCharactersMax} characters; this one has ${name.length}`,
  );
}

/** Deduplicates by id: the last vector wins. */
function readVectors(value: unknown, path: string): StoredVector[] {
  if (value === undefined || value === null) throw new StepError(`The variable ${path} is not set`);
  const isList = Array.isArray(value) && typeof value[0] !== 'number';
  const items: unknown[] = isList ? value : [value];
  if (items.length > vectorsMax) {
    throw new StepError(`${path} contains ${items.length} vectors; the maximum is ${vectorsMax} per step`);
  }
  const vectors = items.map((item, index) => toStoredVector(item, isList ? `${path}[${index}]` : path));
  return [...new Map(vectors.map((vector) => [vector.id, vector])).values()];
}

const Item = z.object({
  id: z.union([z.string().min(1).max(1_024), z.number().transform(String)]).optional(),
  vector: z.unknown().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

function toStoredVector(value: unknown, what: string): StoredVector {
  if (Array.isArray(value)) return addId(parseVector(value, what), {});
  const item = Item.safeParse(value);
  if (!item.success) {
    const [issue] = item.error.issues;
    const where = [what, ...(issue?.path ?? [])].join('.');
    throw new StepError(
      `${where}: expected a vector, or an object {id?, vector, metadata?}. ${issue?.message}`,
    );
  }
  const { id, vector, metadata = {} } = item.data;
  return addId(parseVector(vector, `${what}.vector`), metadata, id);
}

/** Without an id, the id is derived from the content, so that a repeated step stores the vector once. */
const addId = (vector: number[], metadata: StoredVector['metadata'], id?: string): StoredVector => ({
  id:
    id ??
    createHash('sha256')
      .update(JSON.stringify([vector, metadata]))
      .digest('hex')
      .slice(0, 32),
  vector,
  metadata,
});
