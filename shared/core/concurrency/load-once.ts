/** Loads or creates a value on first use: a module (even a repeated import takes time) or a client. */
export function loadOnce<T extends object>(load: () => T): () => T {
  let loading: T | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}

/** Loads the value of each key on its first use. Whoever asks meanwhile waits for the same load. @param keyOf Names what is asked for. */
export function loadEachOnce<Asked, T>(
  load: (asked: Asked) => Promise<T>,
  keyOf: (asked: Asked) => string = String,
): (asked: Asked) => Promise<T> {
  const loads = new Map<string, Promise<T>>();
  return (asked) => {
    const key = keyOf(asked);
    const loading = loads.get(key) ?? load(asked);
    loads.set(key, loading);
    return loading;
  };
}
