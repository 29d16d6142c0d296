import { importEntity, NewImport } from '../../../shared/domain/imports/import.ts';
import { importCreator } from '../../../shared/domain/imports/import-store.ts';
import { chunkFiles, planFileRows } from '../../../shared/execution/imports/import-file.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';

/** An import of numbered rows, cut into chunks that wait to be stored. @returns its id, and how many they are */
export async function prepareChunks(
  scope: Scope,
  names: readonly string[],
  { mode, rowsPerChunk }: { mode: 'create' | 'upsert'; rowsPerChunk: number },
) {
  const bytes = Buffer.from(`name,n\n${names.map((name, n) => `${name},${n}`).join('\n')}\n`);
  const settings = NewImport.parse({ source: { upload: { fileName: 'a.csv' } }, type: 'place', mode });
  const { item } = await importCreator(scope)({ userId: 'ada', organizationId: null }, settings);
  const file = {
    bytes: bytes.length,
    readSlice: async (from: number, to: number) => bytes.subarray(from, to),
    async *stream(from: number) {
      yield bytes.subarray(from);
    },
  };
  const plan = await planFileRows(file, settings);
  await chunkFiles(scope).writePlan(item.id, plan);
  const chunks = Math.ceil(names.length / rowsPerChunk);
  for (let chunk = 0; chunk < chunks; chunk++) {
    const at = chunk * rowsPerChunk;
    const lines = plan.lines.slice(at, at + rowsPerChunk);
    await chunkFiles(scope).write(item.id, { chunk, firstRow: at + 1, bytes: 10, lines });
  }
  const cut = { chunks, rows: names.length, position: bytes.length, isDone: true };
  const changes = { set: { status: 'running' as const, cut, startedAt: new Date().toISOString() } };
  await scope.table.commit([scope.table.writes.update(importEntity, { id: item.id }, changes)]);
  return { id: item.id, chunks };
}
