import * as z from 'zod';
import type { StepWait } from '../../engine/engine.ts';
import type { Checkpoint } from './checkpoint.ts';

/** A step that waits without occupying a worker. */
const Wait = z.object({
  path: z.string(),
  since: z.string(),
  /** Whether it waits for the output of a tool that the caller executes. */
  isCall: z.literal(true).optional(),
});
export type StoredWait = z.infer<typeof Wait>;

/** One is stored by itself, as releases before steps could hold others did. */
export const StoredWaits = z.union([Wait, z.array(Wait)]);

export const storedWaits = (waits: readonly StoredWait[]): z.infer<typeof StoredWaits> => {
  const [first, ...others] = waits;
  return first && others.length === 0 ? first : [...waits];
};

export const checkpointWaits = ({ waiting }: Pick<Checkpoint, 'waiting'>): StoredWait[] =>
  waiting === undefined ? [] : Array.isArray(waiting) ? waiting : [waiting];

/** Whether a run waits in the same steps as before. */
export const isSameWait = (one: readonly StepWait[], other: readonly StepWait[]): boolean => {
  const paths = new Set(one.map(({ path }) => path));
  return paths.size === other.length && other.every(({ path }) => paths.has(path));
};
