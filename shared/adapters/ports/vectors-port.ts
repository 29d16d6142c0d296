export interface StoredVector {
  id: string;
  vector: number[];
  metadata: Record<string, unknown>;
}

/** The tenant's vector collections. */
export interface VectorsPort {
  /**
   * Adds vectors, or replaces those with the same ids. Creates the collection if it does not exist. @throws StepError.
   */
  put: (collection: string, vectors: readonly StoredVector[]) => Promise<void>;
  /** The nearest vectors, nearest first. `score` is the cosine similarity. @throws StepError. */
  query: (
    collection: string,
    vector: readonly number[],
    limit: number,
  ) => Promise<{ id: string; score: number; metadata: Record<string, unknown> }[]>;
}
