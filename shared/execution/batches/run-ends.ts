import Big from 'big.js';
import type { Scope } from '../../platform/data/scope.ts';
import { costWrites } from '../runs/record-costs.ts';
import type { RunEnding } from '../runs/run-recorder.ts';
import { slotEntity } from './batch.ts';

/** The end of a run, and where its record is counted. */
export interface End extends RunEnding {
  batchId: string;
  slot: number;
  /** Whether its record counts as processed. */
  isCounted: boolean;
}

interface Waiting extends End {
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** How long an end waits at most for the ends of other runs. */
const gatherMs = 10;

/** Counts the record of a run exactly once, together with its last checkpoint. */
export type CommitEnd = (end: End) => Promise<void>;
/** Does a run, which is given what commits its end. */
export type WithEnd = <T>(run: (commitEnd: CommitEnd) => Promise<T>) => Promise<T>;

/**
 * Ends that come close together are one transaction, in which a batch's records are counted by one write. They are
 * written when no other run is working, and at the latest some milliseconds after the first.
 */
export function endsTogether({ table, now }: Scope): WithEnd {
  let waiting: Waiting[] = [];
  let working = 0;
  let timer: NodeJS.Timeout | undefined;

  const commit = (ends: readonly End[]) => {
    const batches = Map.groupBy(ends, ({ batchId }) => batchId);
    const counts = [...batches].map(([batchId, [first, ...others]]) => {
      const all = first ? [first, ...others] : others;
      const cost = all.reduce((sum, end) => sum.plus(end.cost), new Big(0));
      const counted = all.filter(({ isCounted }) => isCounted);
      const add = {
        processed: counted.length,
        failed: counted.filter(({ failed }) => failed).length,
        ...(!cost.eq(0) && { cost: cost.toFixed() }),
      };
      const key = { batchId, slot: first?.slot ?? 0 };
      return table.writes.update(slotEntity, key, { add, set: { lastAt: now().toISOString() } });
    });
    const costs = costWrites(
      table,
      ends.flatMap(({ uses }) => uses),
    );
    return table.commit([...ends.map(({ write }) => write), ...counts, ...costs]);
  };

  /** When one of several cannot be written, each is tried by itself: only that one fails. */
  async function flush(): Promise<void> {
    clearTimeout(timer);
    const ends = waiting;
    waiting = [];
    const together =
      ends.length > 1 &&
      (await commit(ends).then(
        () => true,
        () => false,
      ));
    await Promise.all(
      ends.map((end) => (together ? end.resolve() : commit([end]).then(end.resolve, end.reject))),
    );
  }

  return async (run) => {
    let isWorking = true;
    working++;
    const leave = () => {
      if (isWorking) working--;
      isWorking = false;
      if (working === 0 && waiting.length > 0) void flush();
    };
    const commitEnd = (end: End) =>
      new Promise<void>((resolve, reject) => {
        if (waiting.push({ ...end, resolve, reject }) === 1) timer = setTimeout(flush, gatherMs);
        leave();
      });
    return run(commitEnd).finally(leave);
  };
}
