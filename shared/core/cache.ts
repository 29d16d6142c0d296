import { LRUCache } from 'lru-cache';

/** A Lambda that sleeps does not go on with the monotonic clock. */
const now = forwardClock();

export interface CacheLimits {
  entriesMax: number;
  /** The total length of all names in characters. Values of long names are larger. */
  charactersMax?: number;
  ttlMs?: number;
}

/** An LRU cache by name, within limits. */
export function createBoundedMap<T extends NonNullable<unknown>>({
  entriesMax,
  charactersMax,
  ttlMs,
}: CacheLimits) {
  return new LRUCache<string, T>({
    max: entriesMax,
    ...(charactersMax && {
      maxSize: charactersMax,
      sizeCalculation: (_value: T, name: string) => Math.max(1, name.length),
    }),
    ...(ttlMs && { ttl: ttlMs, ttlResolution: 0, perf: { now } }),
  });
}

/** Memoizes a function of one text in an LRU cache: a run uses the same few texts for every record. */
export function memoise<T extends NonNullable<unknown>>(
  make: (text: string) => T,
  limits: CacheLimits = { entriesMax: 500, charactersMax: 1_000_000 },
): (text: string) => T {
  const made = createBoundedMap<T>(limits);
  return (text) => {
    const existing = made.get(text);
    if (existing !== undefined) return existing;
    const result = make(text);
    made.set(text, result);
    return result;
  };
}

export type LoadingCache<T> = (name: string, load: () => Promise<T>) => Promise<T>;

/** Caches loaded values by name. Concurrent callers share one load. Failures and `undefined` are not cached. */
export function createLoadingCache<T>(limits: CacheLimits): LoadingCache<T> {
  const loads = createBoundedMap<Promise<T>>(limits);
  return (name, load) => {
    const existing = loads.get(name);
    if (existing) return existing;
    const loading = load();
    const forget = () => {
      if (loads.peek(name) === loading) loads.delete(name);
    };
    loading.then((value) => value === undefined && forget(), forget);
    loads.set(name, loading);
    return loading;
  };
}

/** Unix ms that never go back: if the clock of the machine is set back, they go on from where they were (D180). */
export function forwardClock(wall: () => number = () => Date.now()): () => number {
  let last = wall();
  let ahead = 0;
  return () => {
    const now = wall() + ahead;
    if (now < last) ahead += last - now;
    last = Math.max(last, now);
    return last;
  };
}
