import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Matrix } from './matrix.ts';
import type { Filter, VectorMetadata } from './requests.ts';

export interface IndexRow {
  id: number;
  bucket: string;
  name: string;
  dimension: number;
  /** JSON: the non-filterable metadata keys. */
  unfiltered: string;
  /** Unix seconds. */
  createdAt: number;
}

export interface VectorRow {
  id: number;
  key: string;
  vector: Float32Array;
  metadata: VectorMetadata | undefined;
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS buckets (name TEXT PRIMARY KEY, createdAt REAL NOT NULL);
  CREATE TABLE IF NOT EXISTS indexes (
    id INTEGER PRIMARY KEY, bucket TEXT NOT NULL, name TEXT NOT NULL,
    dimension INTEGER NOT NULL, unfiltered TEXT NOT NULL, createdAt REAL NOT NULL, UNIQUE (bucket, name));
  CREATE TABLE IF NOT EXISTS vectors (
    id INTEGER PRIMARY KEY, indexId INTEGER NOT NULL, key TEXT NOT NULL,
    vector BLOB NOT NULL, metadata TEXT, UNIQUE (indexId, key));
`;

export type VectorsStore = ReturnType<typeof openVectors>;

/** Opens the store of buckets, indexes and vectors: a database in `directory`, or in memory without one. */
export function openVectors(directory: string | undefined) {
  const database = new DatabaseSync(directory ? join(directory, 'vectors.db') : ':memory:');
  database.exec(schema);
  const matrices = new Map<number, Matrix>();
  const statement = statements(database);
  const rowOf = ({ id, key, vector, metadata }: Record<string, unknown>): VectorRow => ({
    id: id as number,
    key: key as string,
    vector: floatsIn(vector as Uint8Array),
    metadata: metadata === null ? undefined : JSON.parse(metadata as string),
  });

  function matrixOf({ id, dimension }: IndexRow): Matrix {
    const loaded = matrices.get(id);
    if (loaded) return loaded;
    const matrix = new Matrix(dimension);
    for (const { key, vector } of statement.all.iterate(id))
      matrix.set(key as string, floatsIn(vector as Uint8Array));
    matrices.set(id, matrix);
    return matrix;
  }

  function keysWith({ id }: IndexRow, filter: Filter): string[] {
    const rows = statement.metadata.all(id) as { key: string; metadata: string }[];
    const has = (metadata: VectorMetadata) => filter.every(({ name, value }) => metadata[name] === value);
    return rows.flatMap(({ key, metadata }) => (has(JSON.parse(metadata)) ? key : []));
  }

  return {
    /** @returns false if the bucket exists. */
    addBucket: (name: string) => statement.addBucket.run(name, seconds()).changes > 0,
    hasBucket: (name: string) => statement.bucket.get(name) !== undefined,
    /** @returns false if the index exists. */
    addIndex: ({ bucket, name, dimension, unfiltered }: Omit<IndexRow, 'id' | 'createdAt'>) =>
      statement.addIndex.run(bucket, name, dimension, unfiltered, seconds()).changes > 0,
    index: (bucket: string, name: string) => statement.index.get(bucket, name) as IndexRow | undefined,

    /** The names of a bucket's indexes after a name, sorted. */
    indexNames: (bucket: string, after: string) =>
      statement.indexNames.all(bucket, after).map(({ name }) => name as string),

    removeIndex({ id }: IndexRow): void {
      matrices.delete(id);
      transaction(database, () => {
        statement.removeVectors.run(id);
        statement.removeIndex.run(id);
      });
    },

    put(index: IndexRow, vectors: readonly Omit<VectorRow, 'id'>[]): void {
      const matrix = matrixOf(index);
      transaction(database, () => {
        for (const { key, vector, metadata } of vectors) {
          const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
          statement.put.run(index.id, key, bytes, metadata ? JSON.stringify(metadata) : null);
        }
      });
      for (const { key, vector } of vectors) matrix.set(key, vector);
    },

    remove(index: IndexRow, keys: readonly string[]): void {
      const matrix = matrixOf(index);
      transaction(database, () => {
        for (const key of keys) statement.remove.run(index.id, key);
      });
      for (const key of keys) matrix.delete(key);
    },

    get: ({ id }: IndexRow, keys: readonly string[]): VectorRow[] =>
      keys.flatMap((key) => statement.vector.all(id, key).map(rowOf)),
    list: ({ id }: IndexRow, after: number, limit: number): VectorRow[] =>
      statement.list.all(id, after, limit).map(rowOf),

    nearest(index: IndexRow, query: Float32Array, count: number, filter?: Filter) {
      const admitted = filter && new Set(keysWith(index, filter));
      return matrixOf(index).nearest(query, count, admitted);
    },

    close: () => database.close(),
  };
}

const statements = (database: DatabaseSync) => ({
  addBucket: database.prepare('INSERT OR IGNORE INTO buckets VALUES (?, ?)'),
  bucket: database.prepare('SELECT 1 FROM buckets WHERE name = ?'),
  addIndex: database.prepare(
    'INSERT OR IGNORE INTO indexes (bucket, name, dimension, unfiltered, createdAt) VALUES (?, ?, ?, ?, ?)',
  ),
  index: database.prepare('SELECT * FROM indexes WHERE bucket = ? AND name = ?'),
  indexNames: database.prepare('SELECT name FROM indexes WHERE bucket = ? AND name > ? ORDER BY name'),
  removeIndex: database.prepare('DELETE FROM indexes WHERE id = ?'),
  removeVectors: database.prepare('DELETE FROM vectors WHERE indexId = ?'),
  put: database.prepare(
    'INSERT INTO vectors (indexId, key, vector, metadata) VALUES (?, ?, ?, ?) ' +
      'ON CONFLICT DO UPDATE SET vector = excluded.vector, metadata = excluded.metadata',
  ),
  remove: database.prepare('DELETE FROM vectors WHERE indexId = ? AND key = ?'),
  vector: database.prepare('SELECT * FROM vectors WHERE indexId = ? AND key = ?'),
  list: database.prepare('SELECT * FROM vectors WHERE indexId = ? AND id > ? ORDER BY id LIMIT ?'),
  metadata: database.prepare('SELECT key, metadata FROM vectors WHERE indexId = ? AND metadata IS NOT NULL'),
  all: database.prepare('SELECT key, vector FROM vectors WHERE indexId = ?'),
});

function transaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

// SQLite returns each blob in its own buffer, so its floats are aligned.
const floatsIn = ({ buffer, byteLength }: Uint8Array) =>
  new Float32Array(buffer as ArrayBuffer, 0, byteLength / 4);

const seconds = () => Date.now() / 1000;
