/**
 * Stores the rows of a chunk as records, once, however often the chunk is delivered.
 *
 * Where the order of rows does not matter, transactions of up to 50 records are written, several at once. The ids follow from
 * the rows, so a second delivery finds the records that are there and creates nothing twice; the counters of the import move in
 * the transaction that marks the chunk as done. Of rows with one name the first counts (`first-of-name.ts`). Where the order matters (upserts, `onError: "stop"`), one transaction follows
 * the other, and each also moves the progress of the chunk, on the condition that it is where it was: so each row acts once,
 * and is counted as what it did.
 *
 * Problems are written before the transaction that counts them. The end of a chunk sends the next of its lane. A chunk whose
 * import was cancelled stops, and counts what it stored.
 */

import { forEachConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time.ts';
import {
  createImportedRowReader,
  isProblem,
  type ReadRow,
  setValues,
  toDraft,
} from '../../domain/imports/columns.ts';
import {
  type Counts,
  chunkEntity,
  type ImportItem,
  importEntity,
  isUnderWay,
  keptSeconds,
  noCounts,
} from '../../domain/imports/import.ts';
import { problemsMax, problemWriter } from '../../domain/imports/import-problems.ts';
import { parseLine } from '../../domain/imports/reading/text-rows.ts';
import { jobQueue, toJobSweep } from '../../domain/jobs/job-queue.ts';
import { toImportedId } from '../../domain/records/imported-id.ts';
import {
  countJsonBytes,
  metadataBytesMax,
  type RecordDraft,
  type RecordItem,
  recordEntity,
  toNewRecord,
} from '../../domain/records/record.ts';
import {
  createValuesUpdate,
  importInserts,
  recordMoveWrites,
  recordStore,
} from '../../domain/records/record-store.ts';
import { isMissingObject } from '../../platform/aws/s3.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, type Write } from '../../platform/data/writes.ts';
import { endIfDone } from './end-import.ts';
import { type Entry, takenNameResolver } from './first-of-name.ts';
import { type Chunk, chunkFiles, type ImportPlan } from './import-file.ts';
import { countLanes, isOrdered } from './read-file.ts';
import { type RowProblem, takenProblem } from './row-problem.ts';
import { changedMetadata, type Found, recordFinder, toRowIdentity } from './upsert-keys.ts';

/** A transaction has 100 writes, two for a record. */
const recordsPerTransaction = 50;
const bytesPerTransaction = 3_000_000;
const transactionsAtOnce = 3;
/** Up to three writes for a row, and two for the progress. */
const orderedRows = 32;

interface NumberedRow {
  row: number;
  read: ReadRow;
}

type ReadLine = NumberedRow | RowProblem;

interface Stored {
  counts: Counts;
  problems: RowProblem[];
}

export const chunkStorer = /* @__PURE__ */ using(
  [
    ...(['table:write', 'places:jobs'] as const),
    ...[chunkFiles, problemWriter, recordFinder, recordStore, takenNameResolver, jobQueue, endIfDone],
  ],
  (scope: Scope) => {
    const { table, now } = scope;
    const findImport = (id: string) => table.get(importEntity, { id }, { consistent: true });

    /** @param release Gives the place back, before the next chunk is sent, which needs one. */
    return async (id: string, chunk: number, release = async () => {}): Promise<void> => {
      const item = await findImport(id);
      if (!item) return;
      const isOver = !isUnderWay(item.status) || (await finishChunk(item, chunk));
      await release();
      // Otherwise whoever stores the rest of the chunk does so: the order of the rows is that of the chunks.
      if (isOver) await goOn(id, chunk);
    };

    /** @returns whether nothing of the chunk is left; not while another delivery is ahead. */
    async function finishChunk(item: ImportItem, chunk: number): Promise<boolean> {
      const before = await readProgress(scope, item, chunk);
      if (before?.isDone) return true;
      return storeChunk(item, chunk, before?.row).catch(async (error) => {
        const current = isMissingObject(error) && (await findImport(item.id));
        // The end of an import removes its files.
        if (!current || isUnderWay(current.status)) throw error;
        return true;
      });
    }

    async function storeChunk(
      item: ImportItem,
      number: number,
      doneTo: number | undefined,
    ): Promise<boolean> {
      const [plan, chunk] = await Promise.all([
        chunkFiles(scope).readPlan(item.id),
        chunkFiles(scope).read(item.id, number),
      ]);
      if (isOrdered(item.settings)) return storeInOrder(scope, item, plan, chunk, doneTo);
      const { counts, problems } = await storeTogether(scope, item, plan, chunk);
      await writeProblems(scope, item, number, problems);
      const last = chunk.firstRow + chunk.lines.length - 1;
      const writes = countWrites(item, chunk, counts, { row: last, isDone: true });
      await table.commit(writes).catch((error) => {
        if (!(error instanceof ConditionFailed)) throw error;
        log.info('A chunk of an import was stored by another delivery', { importId: item.id, chunk: number });
      });
      return true;
    }

    /** The next chunk of the lane, or the end. */
    async function goOn(id: string, chunk: number): Promise<void> {
      const item = await findImport(id);
      if (item?.status !== 'running') return;
      const next = chunk + countLanes(item.settings);
      if (next < item.cut.chunks) await jobQueue(scope).send({ id, part: 'chunk', chunk: next });
      await endIfDone(scope)(id);
    }

    /** Of the first delivery only: the chunk has no item yet. */
    function countWrites(
      { id }: ImportItem,
      { chunk, bytes, lines }: Chunk,
      counts: Counts,
      progress: { row: number; isDone: boolean },
    ): Write[] {
      const ttl = unixSeconds(now()) + keptSeconds;
      const key = { importId: id, chunk };
      return [
        table.writes.insert(chunkEntity, { ...key, ...progress, ttl }),
        table.writes.update(
          importEntity,
          { id },
          {
            add: { ...counts, rowsRead: lines.length, bytesRead: bytes, chunksDone: 1 },
            index: toJobSweep(id, now()),
          },
        ),
      ];
    }
  },
);

async function writeProblems(
  scope: Scope,
  item: ImportItem,
  chunk: number,
  problems: readonly RowProblem[],
): Promise<void> {
  if (item.failed < problemsMax) await problemWriter(scope)(item.id, chunk, problems);
}

/** The rows that can be read, and the problems of the others. */
function* readLines({ columns }: ImportPlan, { firstRow, lines }: Chunk): Generator<ReadLine> {
  const read = createImportedRowReader(columns);
  for (const [index, line] of lines.entries()) {
    const row = firstRow + index;
    const parsed = parseLine(line);
    const result = 'row' in parsed ? read(parsed.row) : parsed.problem;
    yield isProblem(result) ? { ...result, row } : { row, read: result };
  }
}

/** Transactions of new records, several at once. */
async function storeTogether(
  scope: Scope,
  item: ImportItem,
  plan: ImportPlan,
  chunk: Chunk,
): Promise<Stored> {
  const problems: RowProblem[] = [];
  const counts = noCounts();
  const names = new Set<string>();
  const resolveTaken = takenNameResolver(scope);
  // Read as they are stored: rows that wait would outlive their generation, and become garbage of the old one.
  const readEntries = function* (): Generator<Entry> {
    for (const each of readLines(plan, chunk)) {
      const draft = 'read' in each ? toRecordDraft(each.read) : each;
      if (isProblem(draft)) {
        problems.push({ ...draft, row: each.row });
        continue;
      }
      const identity = `${draft.type}\0${draft.name}`;
      if (names.has(identity)) problems.push(takenProblem(each.row, draft, plan.columns.nameColumn));
      else yield { row: each.row, record: toRecord(scope, item, each.row, draft) };
      names.add(identity);
    }
  };
  await forEachConcurrently(groupEntries(readEntries()), transactionsAtOnce, async (group) => {
    const taken = await insertGroup(scope, group);
    const failed = taken.length > 0 ? await resolveTaken(item, taken, plan.columns.nameColumn) : [];
    counts.created += group.length - failed.length;
    for (const { row, record } of failed) problems.push(takenProblem(row, record, plan.columns.nameColumn));
  });
  counts.failed = problems.length;
  return { counts, problems };
}

const toRecordDraft = ({ type, name = '', values }: ReadRow) =>
  toDraft({ type, name, metadata: setValues({}, values) });

const toRecord = (scope: Scope, item: ImportItem, row: number, draft: RecordDraft): RecordItem =>
  toNewRecord(scope, item, draft, { id: toImportedId(item.id, row), importId: item.id });

function* groupEntries(entries: Iterable<Entry>): Generator<Entry[]> {
  let group: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = countJsonBytes(entry.record.metadata);
    if (group.length === recordsPerTransaction || (group.length > 0 && bytes + size > bytesPerTransaction)) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(entry);
    bytes += size;
  }
  if (group.length > 0) yield group;
}

/** @returns those whose names others have. A record that exists was written by an earlier delivery. */
async function insertGroup({ table }: Scope, group: readonly Entry[]): Promise<Entry[]> {
  const taken: Entry[] = [];
  for (let left = group; left.length > 0; ) {
    try {
      await table.commit(left.flatMap(({ record }) => importInserts(table.writes, record)));
      break;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const failed = new Set(error.failed);
      taken.push(...left.filter((_, index) => !failed.has(2 * index) && failed.has(2 * index + 1)));
      left = left.filter((_, index) => !failed.has(2 * index) && !failed.has(2 * index + 1));
    }
  }
  return taken;
}

/** What a row does. */
type Decision = { row: number; writes: Write[]; count: 'created' | 'updated' | 'unchanged' } | RowProblem;

/** One transaction after the other, each with the progress of the chunk. @returns whether it is done. */
async function storeInOrder(
  scope: Scope,
  item: ImportItem,
  plan: ImportPlan,
  chunk: Chunk,
  doneTo = chunk.firstRow - 1,
): Promise<boolean> {
  const { table } = scope;
  const rows = [...readLines(plan, chunk)].filter(({ row }) => row > doneTo);
  let at = doneTo;
  for (const group of groupRows(rows)) {
    const isLast = group.at(-1) === rows.at(-1);
    let tries = 0;
    const stored = await retryOnConflict(async () => {
      const progress = tries++ > 0 ? await readProgress(scope, item, chunk.chunk) : undefined;
      // Another delivery has stored more.
      if (progress && progress.row > at) return progress;
      return storeGroup(scope, item, plan, { chunk, group, from: at, isLast });
    });
    if ('isDone' in stored) return stored.isDone;
    if (stored.hasEnded) return true;
    at = stored.to;
    const current = await table.get(importEntity, { id: item.id });
    if (current && !isUnderWay(current.status)) return true;
  }
  return true;
}

interface OrderedGroup {
  chunk: Chunk;
  group: readonly ReadLine[];
  /** The last row that is stored. */
  from: number;
  isLast: boolean;
}

/** @throws ConditionFailed if a record has changed since it was read, or another delivery is ahead */
async function storeGroup(
  scope: Scope,
  item: ImportItem,
  plan: ImportPlan,
  { chunk, group, from, isLast }: OrderedGroup,
) {
  const all = await decideRows(scope, item, plan, group);
  const stopAt = item.settings.onError === 'stop' ? all.findIndex(isProblem) : -1;
  const decisions = stopAt < 0 ? all : all.slice(0, stopAt + 1);
  const problems = decisions.filter((each): each is RowProblem => isProblem(each));
  await writeProblems(scope, item, chunk.chunk, problems);
  const failure = stopAt < 0 ? undefined : problems.at(-1);
  const to = decisions.at(-1)?.row ?? from;
  const isDone = isLast || failure !== undefined;
  await scope.table.commit([
    ...decisions.flatMap((each) => (isProblem(each) ? [] : each.writes)),
    ...progressWrites(scope, item, chunk, { from, to, isDone, decisions, failure }),
  ]);
  return { to, hasEnded: failure !== undefined };
}

const readProgress = ({ table }: Scope, { id }: ImportItem, chunk: number) =>
  table.get(chunkEntity, { importId: id, chunk }, { consistent: true });

/** Two rows of one record are in different transactions. */
function* groupRows(rows: readonly ReadLine[]): Generator<readonly ReadLine[]> {
  let group: ReadLine[] = [];
  let bytes = 0;
  const takenNames = new Set<string>();
  for (const each of rows) {
    const identity =
      'read' in each
        ? [toRowIdentity(each.read), JSON.stringify(['name', each.read.type, each.read.name])]
        : [];
    const size = 'read' in each ? countJsonBytes(each.read.values) : 0;
    // A record is written with its metadata, which may be larger than the row.
    if (
      group.length > 0 &&
      (group.length === orderedRows ||
        bytes + size > bytesPerTransaction / 4 ||
        identity.some((one) => takenNames.has(one)))
    ) {
      yield group;
      [group, bytes] = [[], 0];
      takenNames.clear();
    }
    for (const one of identity) takenNames.add(one);
    group.push(each);
    bytes += size;
  }
  // Without rows too: the chunk is to be marked as done.
  yield group;
}

function progressWrites(
  { table, now }: Scope,
  { id }: ImportItem,
  { chunk, bytes, firstRow }: Chunk,
  {
    from,
    to,
    isDone,
    decisions,
    failure,
  }: {
    from: number;
    to: number;
    isDone: boolean;
    decisions: readonly Decision[];
    failure: RowProblem | undefined;
  },
): Write[] {
  const counts = noCounts();
  for (const each of decisions) counts[isProblem(each) ? 'failed' : each.count]++;
  const key = { importId: id, chunk };
  const ttl = unixSeconds(now()) + keptSeconds;
  const isFirst = from < firstRow;
  const condition = isFirst ? absent : { expression: '#row = :from', values: { from } };
  const error = failure && {
    code: failure.code,
    message: `Row ${failure.row}: ${failure.message}. Nothing after it is stored`,
  };
  return [
    table.writes.update(chunkEntity, key, { set: { chunk, row: to, isDone, ttl } }, condition),
    table.writes.update(
      importEntity,
      { id },
      {
        add: { ...counts, rowsRead: decisions.length, ...(isDone && { bytesRead: bytes, chunksDone: 1 }) },
        ...(error && { set: { cut: { chunks: chunk + 1, rows: to, position: 0, isDone: true, error } } }),
        index: toJobSweep(id, now()),
      },
    ),
  ];
}

async function decideRows(
  scope: Scope,
  item: ImportItem,
  plan: ImportPlan,
  rows: readonly ReadLine[],
): Promise<Decision[]> {
  const read = rows.filter((each): each is NumberedRow => 'read' in each);
  const found = await recordFinder(scope)(
    item.id,
    plan.columns,
    read.map((each) => each.read),
  );
  const foundOf = new Map(read.map((each, index) => [each.row, found[index] as Found]));
  return rows.map((each) => {
    if (!('read' in each)) return each;
    return decideRow(scope, item, plan, each, foundOf.get(each.row) as Found);
  });
}

function decideRow(
  scope: Scope,
  item: ImportItem,
  { columns }: ImportPlan,
  { row, read }: NumberedRow,
  { records: [record, another], nameTakenBy, noteWrite }: Found,
): Decision {
  const problemOf = (code: string, message: string): RowProblem => ({
    row,
    column: columns.key?.[0] ?? null,
    code,
    message,
    text: JSON.stringify(read.key ?? read.name).slice(0, 200),
  });
  if (another) return problemOf('KEY_AMBIGUOUS', 'Several records have this key');
  if (!record) return decideCreation();
  if (item.settings.mode === 'create') return takenProblem(row, read, columns.nameColumn);
  const name = read.name ?? record.name;
  const isRenamed = name !== record.name;
  if (isRenamed && nameTakenBy !== undefined && nameTakenBy !== record.id)
    return takenProblem(row, read, columns.nameColumn);
  const metadata = changedMetadata(record, read);
  if (!metadata && !isRenamed) return { row, writes: [], count: 'unchanged' };
  const draft = toDraft({ type: record.type, name, metadata: metadata ?? record.metadata });
  if (isProblem(draft)) return { ...draft, row };
  if (countJsonBytes(draft.metadata) > metadataBytesMax)
    return problemOf('TOO_LARGE', 'The metadata would be too large');
  return { row, writes: updateWrites(scope, record, draft, isRenamed), count: 'updated' };

  function decideCreation(): Decision {
    if (read.name === undefined)
      return {
        ...problemOf('NAME_MISSING', 'A new record needs a name'),
        column: columns.nameColumn ?? null,
      };
    if (nameTakenBy !== undefined) return takenProblem(row, read, columns.nameColumn);
    const draft = toRecordDraft(read);
    if (isProblem(draft)) return { ...draft, row };
    const created = toRecord(scope, item, row, draft);
    const writes = importInserts(scope.table.writes, created);
    return { row, writes: noteWrite ? [...writes, noteWrite(created.id)] : writes, count: 'created' };
  }
}

/** On the condition that nobody changed the record since it was read. */
function updateWrites(scope: Scope, record: RecordItem, draft: RecordDraft, isRenamed: boolean): Write[] {
  const { writes } = scope.table;
  if (isRenamed) return recordMoveWrites(scope, record, draft);
  const update = { ...createValuesUpdate(scope, { metadata: draft.metadata }), add: { revision: 1 } };
  const isUnchanged = { expression: '#revision = :seen', values: { seen: record.revision } };
  return [writes.update(recordEntity, { id: record.id }, update, isUnchanged)];
}
