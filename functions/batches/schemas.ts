import * as z from 'zod';
import { idOf } from '../../shared/core/ids.ts';
import { tenantBatchesMax, tenantSlots } from '../../shared/execution/batches/running-batches.ts';

/** Part of the description of every endpoint that starts a batch. */
export const unfinishedBatches = `A tenant's batches run up to ${tenantSlots} records at a time together. 429 while ${tenantBatchesMax} of them are unfinished.`;

export const BatchParams = z.object({ id: idOf('batch') });
