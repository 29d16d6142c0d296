/**
 * Does some work for each item, for some of them at a time. After a failure nothing more is begun, and what is under
 * way is waited for: a Lambda that has answered must have nothing left to write.
 */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const remaining = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const workOn = async () => {
    for (let next = remaining.next(); !next.done && failures.length === 0; next = remaining.next()) {
      await work(next.value).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, workOn));
  if (failures.length > 0) throw failures[0];
}
