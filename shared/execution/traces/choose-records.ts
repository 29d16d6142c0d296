/** A record of a batch, as the index of its flow shows it. */
export interface RecordOfBatch {
  recordId: string | null;
  runId: string;
  /** How many checkpoints it has. */
  checkpoints: number;
  steps: number;
  /** These two in Unix milliseconds. */
  start: number;
  end: number;
  failed: boolean;
}

/** The slowest, the failed and the latest records in turns, while there is room for their spans. */
export function chooseRecords(records: readonly RecordOfBatch[], spansMax: number): RecordOfBatch[] {
  const latest = records.toSorted((one, other) => other.end - one.end);
  const failed = latest.filter((record) => record.failed);
  const slowest = records.toSorted((one, other) => durationOf(other) - durationOf(one));
  const orders = [slowest, failed, latest].map((order) => order[Symbol.iterator]());
  const chosen = new Set<RecordOfBatch>();
  let left = spansMax;
  for (let open = orders.length; open > 0; ) {
    open = 0;
    for (const order of orders) {
      const record = nextOf(order, chosen);
      if (!record) continue;
      left -= record.steps + 1;
      if (left < 0) return [...chosen];
      chosen.add(record);
      open++;
    }
  }
  return [...chosen];
}

function nextOf(
  order: Iterator<RecordOfBatch>,
  chosen: ReadonlySet<RecordOfBatch>,
): RecordOfBatch | undefined {
  for (let next = order.next(); !next.done; next = order.next()) {
    if (!chosen.has(next.value)) return next.value;
  }
  return undefined;
}

const durationOf = ({ start, end }: RecordOfBatch) => end - start;
