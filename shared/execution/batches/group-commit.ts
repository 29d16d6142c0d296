import Big from 'big.js';
import type { EndNotice } from '../../domain/deliveries/end-notice.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { CheckpointWrite, FinalWrite } from '../runs/checkpoints/run-recorder.ts';
import { spendingWrites } from '../runs/checkpoints/run-spending.ts';
import { slotEntity } from './batch.ts';

interface RecordEnd extends FinalWrite {
  batchId: string;
  slot: number;
  isCounted: boolean;
  notice: EndNotice;
}

/** How a run of a batch commits. The end counts the record exactly once, in the transaction of the last checkpoint. */
export interface RunCommits {
  progress: (progress: CheckpointWrite) => Promise<void>;
  end: (end: RecordEnd) => Promise<void>;
}
export type WithCommits = <T>(run: (commits: RunCommits) => Promise<T>) => Promise<T>;

interface Waiting {
  item: CheckpointWrite & { end?: RecordEnd };
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** How long a commit waits at most for the commits of other runs. */
const groupWindowMs = 10;

/** Commits concurrent runs in one transaction: when none is working, at the latest `groupWindowMs` after the first. */
export function groupCommits(scope: Scope): WithCommits {
  let waiting: Waiting[] = [];
  let working = 0;
  let timer: NodeJS.Timeout | undefined;

  /** If the transaction fails, commits each item by itself, so that only the faulty one fails. */
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
        const { write, spent, notice } = end;
        const written = add({ writes: [write, ...notice.writes], spent, end });
        setWorking(false);
        return written.then(notice.send);
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
    ...spendingWrites(
      scope,
      items.map(({ spent }) => spent),
    ),
  ]);

/** One write per batch: a transaction takes one write per item. */
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
