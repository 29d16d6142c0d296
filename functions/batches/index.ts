import type { Group } from '../../shared/platform/http/group.ts';
import { cancelBatch } from './cancel.ts';
import { batchCost } from './cost.ts';
import { runBatchFlow } from './run-flow.ts';
import { batchStatus } from './status.ts';
import { batchSummary } from './summary.ts';

export const batchesGroup = {
  description: 'Runs of a flow on many records: start one, follow it, cancel it and see what it cost.',
  endpoints: [runBatchFlow, batchStatus, cancelBatch, batchSummary, batchCost],
} as const satisfies Group;
