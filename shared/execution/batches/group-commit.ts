import Big from 'big.js';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { costWrites } from '../runs/checkpoints/record-costs.ts';
import type { CheckpointWrite, FinalWrite } from '../runs/checkpoints/run-recorder.ts';
import { slotEntity } from './batch.ts';

/** The end of a run, and where its record is counted. */
export interface RecordEnd extends FinalWrite {
  batchId: string;
  slot: number;
  /** Whether its record counts as processed. */
  isCounted: boolean;
}

/** What a run of a batch commits. The end counts its record exactly once, together with its last checkpoint. */
export interface RunCommits {
  progress: (progress: CheckpointWrite) => Promise<void>;
  end: (end: RecordEnd) => Promise<void>;
}
/** Does a run, which is given its commits. */
export type WithCommits = <T>(run: (commits: RunCommits) => Promise<T>) => Promise<T>;

interface Waiting {
  item: CheckpointWrite & { end?: RecordEnd };
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** How long a commit waits at most for those of other runs. */
const groupWindowMs = 10;

/**
 * What runs commit close together is one transaction, in which a batch's records are counted by one write. It is
 * written when no run is working, and at the latest some milliseconds after the first commit.
 */
export function groupCommits(scope: Scope): WithCommits {
  let waiting: Waiting[] = [];
  let working = 0;
  let timer: NodeJS.Timeout | undefined;

  /** When one of several cannot be written, each is tried by itself: only that one fails. */
  async function flush(): Promise<void> {
    clearTimeout(timer);
    const gathered = waiting;
    waiting = [];
    const together =
      gathered.length > 1 &&
      (await commit(
        scope,
        gathered.map(({ item }) => item),
      ).then(
        () => true,
        () => false,
      ));
    for (const { item, resolve, reject } of gathered) {
      if (together) resolve();
      else commit(scope, [item]).then(resolve, reject);
    }
  }

  const add = (item: Waiting['item']) =>
    new Promise<void>((resolve, reject) => {
      if (waiting.push({ item, resolve, reject }) === 1) timer = setTimeout(flush, groupWindowMs);
    });

  return async (run) => {
    let isWorking = false;
    const setWorking = (is: boolean) => {
      if (is !== isWorking) working += is ? 1 : -1;
      isWorking = is;
      if (working === 0 && waiting.length > 0) void flush();
    };
    setWorking(true);
    const commits: RunCommits = {
      progress(progress) {
        const written = add(progress).finally(() => setWorking(true));
        setWorking(false);
        return written;
      },
      end(end) {
        const written = add({ writes: [end.write], uses: end.uses, end });
        setWorking(false);
        return written;
      },
    };
    return run(commits).finally(() => setWorking(false));
  };
}

const commit = (scope: Scope, items: readonly Waiting['item'][]) =>
  scope.table.commit([
    ...items.flatMap(({ writes }) => writes),
    ...countsOf(
      scope,
      items.flatMap(({ end }) => end ?? []),
    ),
    ...costWrites(
      scope.table,
      items.flatMap(({ uses }) => uses),
    ),
  ]);

/** One write for each batch, since a transaction takes one for an item. */
const countsOf = ({ table, now }: Scope, ends: readonly RecordEnd[]): Write[] =>
  [...Map.groupBy(ends, ({ batchId }) => batchId)].map(([batchId, all]) => {
    const cost = all.reduce((sum, end) => sum.plus(end.cost), new Big(0));
    const counted = all.filter(({ isCounted }) => isCounted);
    const add = {
      processed: counted.length,
      failed: counted.filter(({ failed }) => failed).length,
      ...(!cost.eq(0) && { cost: cost.toFixed() }),
    };
    const key = { batchId, slot: all[0]?.slot ?? 0 };
    return table.writes.update(slotEntity, key, { add, set: { lastAt: now().toISOString() } });
  });
