/** A row that is added before a page is read pushes the last one of the page before into it. */
export function eachOnce<Row extends { id: string }>(pages: readonly { data: readonly Row[] }[]): Row[] {
  const rows = pages.flatMap(({ data }) => data.map((row) => [row.id, row] as const));
  return [...new Map(rows).values()];
}
