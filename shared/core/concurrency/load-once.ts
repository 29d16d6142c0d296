/** Loads or creates a value on first use: a module (even a repeated import takes time) or a client. */
export function loadOnce<T extends object>(load: () => T): () => T {
  let loading: T | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}
