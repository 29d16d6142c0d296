import { LRUCache } from 'lru-cache';

export interface CacheLimits {
  entriesMax: number;
  /** What the names of all entries may add up to in characters: what is made of a long one takes more room. */
  charactersMax?: number;
  /** How long an entry is kept, in ms. */
  ttlMs?: number;
}

/** Keeps the most recently used values by their names, within limits. */
function boundedMap<T extends NonNullable<unknown>>({ entriesMax, charactersMax, ttlMs }: CacheLimits) {
  return new LRUCache<string, T>({
    max: entriesMax,
    ...(charactersMax && {
      maxSize: charactersMax,
      sizeCalculation: (_value: T, name: string) => Math.max(1, name.length),
    }),
    ...(ttlMs && { ttl: ttlMs, ttlResolution: 0, perf: Date }),
  });
}

/** Remembers what was made of the most recently used texts: a run uses the same few for every record. */
export function memoise<T extends NonNullable<unknown>>(
  make: (text: string) => T,
  limits: CacheLimits = { entriesMax: 500, charactersMax: 1_000_000 },
): (text: string) => T {
  const made = boundedMap<T>(limits);
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const result = make(text);
    made.set(text, result);
    return result;
  };
}

export type LoadingCache<T> = (name: string, load: () => Promise<T>) => Promise<T>;

/**
 * Remembers what was loaded under the most recently used names. Callers that ask at the same time share one load.
 * Failures and `undefined` are not kept.
 */
export function loadingCache<T>(limits: CacheLimits): LoadingCache<T> {
  const loads = boundedMap<Promise<T>>(limits);
  return (name, load) => {
    const known = loads.get(name);
    if (known) return known;
    const loading = load();
    const forget = () => {
      if (loads.peek(name) === loading) loads.delete(name);
    };
    loading.then((value) => value === undefined && forget(), forget);
    loads.set(name, loading);
    return loading;
  };
}
