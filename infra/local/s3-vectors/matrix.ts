export interface Neighbour {
  key: string;
  distance: number;
}

/** The vectors of an index in one contiguous block. Search is exhaustive, and therefore exact. */
export class Matrix {
  readonly #dimension: number;
  #values: Float32Array;
  #lengths: number[] = [];
  #keys: string[] = [];
  #rowOf = new Map<string, number>();

  constructor(dimension: number) {
    this.#dimension = dimension;
    this.#values = new Float32Array(dimension * 64);
  }

  set(key: string, vector: Float32Array): void {
    const row = this.#rowOf.get(key) ?? this.#keys.length;
    this.#makeRoomFor(row);
    this.#values.set(vector, row * this.#dimension);
    this.#lengths[row] = Math.sqrt(dot(vector, vector, 0));
    this.#keys[row] = key;
    this.#rowOf.set(key, row);
  }

  /** Replaces the removed vector with the last one. */
  delete(key: string): void {
    const row = this.#rowOf.get(key);
    if (row === undefined) return;
    const last = this.#keys.length - 1;
    const lastKey = this.#keys[last] as string;
    this.#values.copyWithin(row * this.#dimension, last * this.#dimension, (last + 1) * this.#dimension);
    this.#lengths[row] = this.#lengths[last] as number;
    this.#keys[row] = lastKey;
    this.#rowOf.set(lastKey, row);
    this.#rowOf.delete(key);
    this.#keys.pop();
    this.#lengths.pop();
  }

  /** The nearest vectors by cosine distance, nearest first. @param admitted Their keys. Default: all. */
  nearest(wanted: Float32Array, count: number, admitted?: ReadonlySet<string>): Neighbour[] {
    const length = Math.sqrt(dot(wanted, wanted, 0));
    const nearest: Neighbour[] = [];
    let farthest = Number.POSITIVE_INFINITY;
    for (let row = 0; row < this.#keys.length; row++) {
      if (admitted && !admitted.has(this.#keys[row] as string)) continue;
      const product = dot(wanted, this.#values, row * this.#dimension);
      const distance = Math.fround(1 - product / (length * (this.#lengths[row] as number)));
      if (nearest.length === count && distance >= farthest) continue;
      const place = nearest.findLastIndex((other) => other.distance <= distance) + 1;
      nearest.splice(place, 0, { key: this.#keys[row] as string, distance });
      if (nearest.length > count) nearest.pop();
      farthest = nearest.at(-1)?.distance ?? farthest;
    }
    return nearest;
  }

  #makeRoomFor(row: number): void {
    if ((row + 1) * this.#dimension <= this.#values.length) return;
    const values = new Float32Array(this.#values.length * 2);
    values.set(this.#values);
    this.#values = values;
  }
}

/** The dot product with the vector at an offset. Four partial sums keep the CPU pipeline full. */
function dot(one: Float32Array, others: Float32Array, offset: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const { length } = one;
  const even = length - (length % 4);
  let at = 0;
  for (; at < even; at += 4) {
    a += (one[at] as number) * (others[offset + at] as number);
    b += (one[at + 1] as number) * (others[offset + at + 1] as number);
    c += (one[at + 2] as number) * (others[offset + at + 2] as number);
    d += (one[at + 3] as number) * (others[offset + at + 3] as number);
  }
  for (; at < length; at++) a += (one[at] as number) * (others[offset + at] as number);
  return a + b + c + d;
}
