/** Each series on top of those before it, as the height at which it ends. */
export function stacked(series: readonly (readonly number[])[]): number[][] {
  const heights: number[][] = [];
  for (const values of series) {
    const below = heights.at(-1);
    heights.push(values.map((value, index) => value + (below?.[index] ?? 0)));
  }
  return heights;
}
