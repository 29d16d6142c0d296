/** After a failure, waits for the running work: a Lambda must not write after it has responded. */
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
