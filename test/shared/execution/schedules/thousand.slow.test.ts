import { expect, test, vi } from 'vitest';
import { mapConcurrently } from '../../../../shared/core/concurrency/map-concurrently.ts';
import { Firing, firingsPartition } from '../../../../shared/domain/schedules/firing.ts';
import { batchesPartition } from '../../../../shared/execution/batches/batch.ts';
import { createSchedule, scheduleSurface } from '../../../support/flows/schedules.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

/** `SCHEDULES=1000` is what the service must bear; fewer show the same. */
const count = Number(process.env.SCHEDULES ?? 30);
const perTenant = 40;
/** To create them. */
const leadMs = 40_000 + count * 60;

test(`${count} schedules that are due in the same second all fire within a minute, each once`, async () => {
  const runAt = new Date(Math.ceil((Date.now() + leadMs) / 1_000) * 1_000).toISOString();
  const made: { tenant: string; id: string }[] = [];
  const tenants = Array.from({ length: Math.ceil(count / perTenant) }, (_, n) =>
    Math.min(perTenant, count - n * perTenant),
  );
  const make = async (schedules: number) => {
    const tenant = await newTenant();
    const { path, flowId } = await scheduleSurface(tenant);
    for (let n = 0; n < schedules; n++) {
      const { id } = await createSchedule(tenant, path, { flowId, triggerType: 'one_time', runAt });
      made.push({ tenant: tenant.tenant, id });
    }
  };
  for await (const _made of mapConcurrently(tenants, 8, make));
  const firings = async () => {
    const found: Pick<Firing, 'state' | 'startedAt'>[][] = [];
    const read = async ({ tenant, id }: (typeof made)[number]) => {
      const { table } = countingRuntime().scopeOf(tenant);
      const items = await table.queryAll({ partition: firingsPartition(id), index: 1 });
      found.push(items.map(({ summary }) => Firing.pick({ state: true, startedAt: true }).parse(summary)));
    };
    for await (const _read of mapConcurrently(made, 20, read));
    return found;
  };
  await new Promise((resolve) => setTimeout(resolve, Date.parse(runAt) - Date.now()));
  await vi.waitFor(
    async () => {
      const fired = (await firings()).filter((each) => each.length > 0);
      expect(fired).toHaveLength(count);
      expect(fired.flat().filter(({ state }) => state !== 'started')).toEqual([]);
    },
    { timeout: 120_000, interval: 2_000 },
  );
  const fired = await firings();
  expect(fired.map(({ length }) => length)).toEqual(Array(count).fill(1));
  const last = Math.max(...fired.flat().map(({ startedAt }) => Date.parse(startedAt ?? '')));
  // Not with few of them: how long it takes depends on the machine.
  if (process.env.SCHEDULES) expect(last - Date.parse(runAt)).toBeLessThan(60_000);
  const batches = new Set(made.map(({ tenant }) => tenant));
  let total = 0;
  for (const tenant of batches) {
    total += await countingRuntime().scopeOf(tenant).table.count({ partition: batchesPartition, index: 1 });
  }
  expect(total).toBe(count);
}, 300_000);
