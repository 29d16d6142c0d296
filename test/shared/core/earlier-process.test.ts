import { afterEach, expect, test, vi } from 'vitest';
import { getAloneSince, isOfEarlierProcess, noteClockJump } from '../../../shared/core/earlier-process.ts';

afterEach(() => vi.unstubAllEnvs());

test('after the clock was set back by a day, runs of this process from before and after remain its own', () => {
  const dayMs = 86_400_000;
  const started = performance.timeOrigin;
  vi.stubEnv('ALONE_SINCE', String(started));
  vi.stubEnv('ALONE_UNTIL', undefined);
  const before = new Date(started + 10_000).toISOString();
  const now = new Date(started + 20_000 - dayMs);
  noteClockJump(-dayMs, now.getTime());
  const after = now.toISOString();
  for (const startedAt of [before, after]) expect(isOfEarlierProcess({ startedAt }, now)).toBe(false);
  expect(getAloneSince()).toBe(started - dayMs);
  const earlier = new Date(started - dayMs - 1).toISOString();
  expect(isOfEarlierProcess({ startedAt: earlier }, now)).toBe(true);
});
