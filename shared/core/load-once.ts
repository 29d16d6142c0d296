/**
 * Loads or makes something when it is first asked for: a module, which Node takes a while even to find again, or a client.
 */
export function loadOnce<T extends object>(load: () => T): () => T {
  let loading: T | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}
