import type { AccessWorld } from './access-world.ts';

/** A way in which stores ask the table. */
export interface Pattern {
  commands: string;
  /**
   * Capacity units of all commands together. Two numbers where the engines differ: DynamoDB Local counts neither
   * what is not there nor a transaction in full (of updates that leave the indexes alone, two units for all of
   * them), but indexes twice in one. A third number is what DynamoDB counts, where that is not the higher one.
   */
  units: number | [least: number, most: number, aws?: number];
  /** The indexes that are read or written. */
  indexes?: string;
  /** Whether what it reads of them is empty, of which DynamoDB Local tells nothing. */
  readsNothing?: boolean;
  /** Whether it needs the 60 records of a world, and not two. */
  manyRecords?: boolean;
  run: (world: AccessWorld) => (() => Promise<unknown>) | Promise<() => Promise<unknown>>;
}
