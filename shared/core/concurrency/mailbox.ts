/** Hands items from several producers to one consumer, in order. */
export function openMailbox<T>() {
  let items: T[] = [];
  let failure: { error: unknown } | undefined;
  let arrived = Promise.withResolvers<void>();
  return {
    put(item: T): void {
      items.push(item);
      arrived.resolve();
    },
    /** The consumer gets the error after the items before it. */
    fail(error: unknown): void {
      failure ??= { error };
      arrived.resolve();
    },
    /** All items that are there; waits for the first. @throws the failure of a producer. */
    async take(): Promise<T[]> {
      await arrived.promise;
      if (items.length === 0 && failure) throw failure.error;
      const taken = items;
      items = [];
      if (!failure) arrived = Promise.withResolvers();
      return taken;
    },
  };
}
