import { afterEach, expect, test, vi } from 'vitest';
import { createLoadingCache, memoise } from '../../../shared/core/cache.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const counting = <T>(make: (text: string) => T) => {
  const made: string[] = [];
  return {
    made,
    make(text: string) {
      made.push(text);
      return make(text);
    },
  };
};

test('memoise computes a value once and evicts the least recently used one', () => {
  const { made, make } = counting((text) => text.toUpperCase());
  const upper = memoise(make, { entriesMax: 2 });
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) expect(upper(text)).toBe(text.toUpperCase());
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

test('memoise evicts to stay within charactersMax and never caches a text longer than that', () => {
  const { made, make } = counting(() => 'made');
  const remembered = memoise(make, { entriesMax: 100, charactersMax: 10 });
  for (const text of ['', 'aaaa', 'bbbb', 'aaaa', 'x'.repeat(11), 'x'.repeat(11), 'cccc', 'bbbb'])
    expect(remembered(text)).toBe('made');
  expect(made).toEqual(['', 'aaaa', 'bbbb', 'x'.repeat(11), 'x'.repeat(11), 'cccc', 'bbbb']);
});

test('memoise does not cache failures', () => {
  const { made, make } = counting((text): string => {
    throw new Error(text);
  });
  const failing = memoise(make);
  for (let n = 0; n < 2; n++) expect(() => failing('a')).toThrow('a');
  expect(made).toHaveLength(2);
});

test('concurrent callers share one load', async () => {
  const cached = createLoadingCache<number>({ entriesMax: 5 });
  const load = vi.fn(async () => 1);
  expect(await Promise.all([cached('a', load), cached('a', load)])).toEqual([1, 1]);
  expect(await cached('a', load)).toBe(1);
  expect(load).toHaveBeenCalledTimes(1);
});

test('failed loads and undefined values are not cached', async () => {
  const cached = createLoadingCache<number | undefined>({ entriesMax: 5 });
  await expect(cached('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await cached('a', async () => undefined)).toBeUndefined();
  expect(await cached('a', async () => 2)).toBe(2);
  expect(await cached('a', async () => 3)).toBe(2);
});

test('an evicted load still settles for its caller, and its failure removes no newer entry', async () => {
  const cached = createLoadingCache<string>({ entriesMax: 1 });
  const { promise, reject } = Promise.withResolvers<string>();
  const first = cached('a', () => promise);
  expect(await cached('b', async () => 'b')).toBe('b');
  expect(await cached('a', async () => 'second')).toBe('second');
  reject(new Error('late'));
  await expect(first).rejects.toThrow('late');
  expect(await cached('a', async () => 'third')).toBe('second');
});

test('an entry is reloaded after its TTL', async () => {
  const now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
  const cached = createLoadingCache<number>({ entriesMax: 5, ttlMs: 1_000 });
  await cached('a', async () => 1);
  clock.mockReturnValue(now + 999);
  expect(await cached('a', async () => 2)).toBe(1);
  clock.mockReturnValue(now + 1_001);
  expect(await cached('a', async () => 2)).toBe(2);
});
