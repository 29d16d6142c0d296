/** The most that arrived in any 60 seconds. @param arrivals Unix ms, with what each counts. */
export function mostInAMinute(arrivals: readonly { at: number; amount: number }[]): number {
  const sorted = arrivals.toSorted((one, other) => one.at - other.at);
  let [most, sum, from] = [0, 0, 0];
  for (const { at, amount } of sorted) {
    sum += amount;
    for (let first = sorted[from]; first && first.at <= at - 60_000; first = sorted[++from])
      sum -= first.amount;
    most = Math.max(most, sum);
  }
  return most;
}
