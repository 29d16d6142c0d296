import { sweepDeleted } from '../../shared/data/cleanup.ts';
import { productionRuntime } from '../../shared/runtime.ts';

/** Comes by regularly, so that what was deleted is cleaned up even if whoever deleted it did not get to say so. */
export async function handler(): Promise<void> {
  await sweepDeleted(productionRuntime().scopeOf('').table, new Date());
}
