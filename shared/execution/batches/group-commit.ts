/**
 * Gathers what concurrent runs of one invocation write into transactions of up to `groupMax` items.
 * A group is sent when no run is working, when it is full, or `groupWindowMs` after its first item; one transaction at a
 * time. A run that awaits its commit counts as not working, so that it never waits for the window alone.
 * With the last checkpoint of a record go its counters (`slot-counters.ts`) and its spending: a record counts exactly
 * once. If the transaction fails, each item is committed by itself, so that only the faulty one fails.
 */
import type { EndNotification } from '../../domain/deliveries/end-webhook.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { CheckpointWrite, FinalWrite } from '../runs/run-recorder.ts';
import { toSpendingWrites } from '../runs/spending.ts';
import { slotEntity } from './batch.ts';
import { toSlotCounters } from './slot-counters.ts';

interface RecordEnd extends FinalWrite {
  batchId: string;
  slot: number;
  isCounted: boolean;
  notice: EndNotification;
  /** Called when the end is stored. */
  after?: () => Promise<void>;
}

/** How a run of a batch commits. The end counts the record exactly once, in the transaction of the last checkpoint. */
export interface RunCommits {
  progress: (progress: CheckpointWrite) => Promise<void>;
  /** Does not wait for the commit: the next run of the slot may begin. */
  end: (end: RecordEnd) => void;
}
export type WithCommits = (run: (commits: RunCommits) => Promise<void>) => Promise<Ran>;
/** A run that has ended or paused. */
export interface Ran {
  /** When its end is stored; at once if it has paused. */
  stored: Promise<void>;
}

interface Waiting {
  item: Omit<CheckpointWrite, 'isAwaited'> & { end?: RecordEnd };
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** How long a commit waits at most for the commits of other runs. */
const groupWindowMs = 10;
/** Of 250 KB each at most, in a transaction of 4 MB. */
const groupMax = 16;

/**
 * Commits what concurrent runs write, one transaction after another: each when no run is working or the group is full,
 * at the latest `groupWindowMs` after its first commit (D49).
 */
export function groupCommits(scope: Scope): WithCommits {
  const waiting: Waiting[] = [];
  let working = 0;
  let isDue = false;
  let isSending = false;
  let timer: NodeJS.Timeout | undefined;

  async function send(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (waiting.length > 0 && (isDue || working === 0 || waiting.length >= groupMax)) {
      await commitGroup(scope, waiting.splice(0, groupMax));
      if (waiting.length === 0) stopClock();
    }
    isSending = false;
  }

  const stopClock = () => {
    clearTimeout(timer);
    timer = undefined;
    isDue = false;
  };
  const startClock = () => {
    timer ??= setTimeout(() => {
      isDue = true;
      void send();
    }, groupWindowMs);
  };

  const add = (item: Waiting['item']) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      startClock();
      if (waiting.length >= groupMax) void send();
    });

  return async (run) => {
    let stored = Promise.resolve();
    const setWorking = (is: boolean) => {
      working += is ? 1 : -1;
      if (working === 0) void send();
    };
    const commits: RunCommits = {
      async progress({ isAwaited, ...progress }) {
        const written = add(progress);
        if (!isAwaited) return written;
        setWorking(false);
        await written.finally(() => setWorking(true));
      },
      end(end) {
        const { write, spent, notice, after } = end;
        stored = add({ writes: [write, ...notice.writes], spent, end })
          .then(notice.send)
          .then(after);
        // Who waits for it comes later.
        stored.catch(() => {});
      },
    };
    setWorking(true);
    try {
      await run(commits);
    } finally {
      setWorking(false);
    }
    return { stored };
  };
}

/** If the transaction fails, commits each item by itself, so that only the faulty one fails. */
async function commitGroup(scope: Scope, group: readonly Waiting[]): Promise<void> {
  const items = group.map(({ item }) => item);
  const isTogether =
    group.length > 1 &&
    (await commit(scope, items).then(
      () => true,
      () => false,
    ));
  await Promise.all(
    group.map(({ item, resolve, reject }) =>
      isTogether ? resolve() : commit(scope, [item]).then(resolve, reject),
    ),
  );
}

const commit = (scope: Scope, items: readonly Waiting['item'][]) =>
  scope.table.commit([
    ...items.flatMap(({ writes }) => writes),
    ...toCounterWrites(
      scope,
      items.flatMap(({ end }) => end ?? []),
    ),
    ...toSpendingWrites(
      scope,
      items.map(({ spent }) => spent),
    ),
  ]);

/** One write per batch: a transaction takes one write per item. */
const toCounterWrites = ({ table, now }: Scope, ends: readonly RecordEnd[]): Write[] =>
  [...Map.groupBy(ends, ({ batchId }) => batchId)].map(([batchId, all]) => {
    const counted = all.filter(({ isCounted }) => isCounted);
    const { add: counters, setOnce } = toSlotCounters(batchId, all, now());
    const add = {
      processed: counted.length,
      failed: counted.filter(({ failed }) => failed).length,
      ...counters,
    };
    const key = { batchId, slot: all[0]?.slot ?? 0 };
    return table.writes.update(slotEntity, key, { add, setOnce, set: { lastAt: now().toISOString() } });
  });
