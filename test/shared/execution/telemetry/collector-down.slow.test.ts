import { expect, test } from 'vitest';
import { toChunks } from '../../../../shared/core/chunks.ts';
import { runExportEntity } from '../../../../shared/domain/telemetry/run-export.ts';
import { endRuns } from '../../../support/files/exports.ts';

const runs = 200;
const downMs = 10 * 60_000;

/** Ten minutes pass on the clock of the export, not in this test. */
test('a collector that is down for ten minutes loses nothing, is asked rarely, and fills no memory', async () => {
  let isDown = true;
  const world = await endRuns((n) => (isDown ? (n % 2 ? 'close' : { status: 503 }) : { status: 200 }), {
    runs,
  });
  const { keys, clock, scope, attempt, received } = world;
  const begun = clock.at;
  const items = await scope.table.getMany(
    keys.map((key) => runExportEntity.key(key)),
    { consistent: true },
  );
  const dueOf = new Map(keys.map((key, n) => [key, String(items[n]?.nextAttemptAt)]));
  const left = () => dueOf.size;

  /** What the queue does: a message for each attempt that is due. */
  async function pass(until: number): Promise<void> {
    while (clock.at < until && left() > 0) {
      const next = Math.min(...[...dueOf.values()].map(Date.parse));
      clock.at = Math.max(clock.at, next);
      const due = [...dueOf].filter(([, at]) => Date.parse(at) <= clock.at).map(([key]) => key);
      // As many as the worker handles at once.
      for (const chunk of toChunks(due, 10)) await Promise.all(chunk.map((key) => attempt(key)));
      for (const key of due) {
        const item = await world.stored(key);
        if (item) dueOf.set(key, item.nextAttemptAt);
        else dueOf.delete(key);
      }
    }
  }

  await pass(begun + 60_000);
  global.gc?.();
  const heapAfterAMinute = process.memoryUsage().heapUsed;
  await pass(begun + downMs);
  global.gc?.();
  const grown = process.memoryUsage().heapUsed - heapAfterAMinute;
  expect(left()).toBe(runs);
  const asked = received.length;
  // Each run has a dozen attempts in that time, of which most need not ask.
  expect(asked).toBeLessThan(2 * runs);
  isDown = false;
  received.length = 0;
  await pass(begun + 65 * 60_000);
  expect(left()).toBe(0);
  const traces = received.map(({ spans }) => spans[0]?.traceId);
  expect(new Set(traces).size).toBe(runs);
  expect(clock.at - begun).toBeLessThanOrEqual(downMs + 6 * 60_000);
  process.stdout.write(
    `${JSON.stringify({ runs, askedWhileDown: asked, sentAfterwards: traces.length, grownMb: grown / 2 ** 20, recoveredAfterMs: clock.at - begun - downMs })}\n`,
  );
}, 300_000);
