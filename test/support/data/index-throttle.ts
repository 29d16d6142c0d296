import { setTimeout as sleep } from 'node:timers/promises';
import { cancelled, type Interference, throttled } from './broken-table.ts';

/** Write units that one index partition takes in a second: AWS's limit of any partition. */
const unitsPerSecond = 1_000;

type Item = Record<string, unknown>;

/**
 * An index of DynamoDB whose partitions throttle. Each has a second's units at first and gets as many every second. A
 * request that one of its partitions has no units for is refused as a whole, in one of the ways that DynamoDB does.
 * @param busyMs How long other writers use all units, from the first request on.
 */
export function throttlingIndexes(busyMs = 0) {
  let freeFrom: number | undefined;
  const partitions = new Map<string, { units: number; at: number }>();
  const seen = { requests: 0, refused: 0 };

  function unitsOf(name: string, now: number) {
    const { units, at } = partitions.get(name) ?? { units: unitsPerSecond, at: now };
    return Math.min(unitsPerSecond, units + ((now - at) / 1_000) * unitsPerSecond);
  }

  async function before(command: string, input: Item): Promise<void> {
    const needed = unitsNeeded(command, input);
    if (needed.size === 0) return;
    const now = Date.now();
    seen.requests++;
    freeFrom ??= now + busyMs;
    const left = [...needed].map(([name, units]) => [name, unitsOf(name, now) - units] as const);
    if (now < freeFrom || left.some(([, units]) => units < 0)) {
      await sleep(5);
      throw refusals[seen.refused++ % refusals.length]?.();
    }
    for (const [name, units] of left) partitions.set(name, { units, at: now });
  }
  return { before, seen } satisfies Interference & { seen: typeof seen };
}

const refusals = [
  throttled,
  () => cancelled('None', 'ThrottlingError'),
  () => cancelled('ProvisionedThroughputExceeded', 'None'),
  () => Object.assign(throttled(), { name: 'ProvisionedThroughputExceededException' }),
];

/** Write units by index partition: one for each KB of an entry. */
function unitsNeeded(command: string, input: Item): Map<string, number> {
  const writes =
    command === 'TransactWriteItems' ? (input.TransactItems as { Put?: { Item: Item } }[]) : [{ Put: input }];
  const needed = new Map<string, number>();
  for (const { Put } of writes) {
    const item = Put?.Item as Record<string, { S?: string }> | undefined;
    for (const partition of [item?.PK1?.S, item?.PK2?.S]) {
      if (!partition) continue;
      const entry = JSON.stringify([partition, item?.PK, item?.SK1, item?.summary]);
      const units = Math.ceil(Buffer.byteLength(entry) / 1_024);
      needed.set(partition, (needed.get(partition) ?? 0) + units);
    }
  }
  return needed;
}
