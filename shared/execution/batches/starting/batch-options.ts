import type { ReuseOptions } from '../../../domain/runs/reuse-options.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import type { Batch } from '../batch.ts';

export const batchDefaults = { recordConcurrency: 10, maxRetries: 2 };

export interface BatchOptions
  extends Pick<Batch, 'chunkSize' | 'timeoutMs' | 'modelOverride' | 'reuse' | 'priority'> {
  recordConcurrency: number;
  maxRetries: number;
}

/** Who a batch belongs to. The environment decides which version of the flow runs. */
export type BatchOwner = Pick<Principal, 'userId' | 'organizationId' | 'environment'>;

export const toBatchReuse = ({ reuse, reuseMaxAgeDays: maxAgeDays }: ReuseOptions): Pick<Batch, 'reuse'> =>
  reuse === 'unchanged' ? { reuse: maxAgeDays === undefined ? {} : { maxAgeDays } } : {};
