import type { ReuseOptions } from '../../../domain/runs/reuse-options.ts';
import type { Batch } from '../batch.ts';

export const toBatchReuse = ({ reuse, reuseMaxAgeDays: maxAgeDays }: ReuseOptions): Pick<Batch, 'reuse'> =>
  reuse === 'unchanged' ? { reuse: maxAgeDays === undefined ? {} : { maxAgeDays } } : {};
