export function toChunks<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size));
  return chunks;
}

/** Chunks of at most so many bytes together, or of one item. */
export function toChunksWithin<T>(
  items: readonly T[],
  bytesMax: number,
  bytesOf: (item: T) => number,
): T[][] {
  const chunks: T[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    bytes += size;
    const chunk = chunks.at(-1);
    if (chunk && bytes <= bytesMax) {
      chunk.push(item);
      continue;
    }
    bytes = size;
    chunks.push([item]);
  }
  return chunks;
}
