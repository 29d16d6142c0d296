import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { cancelBatch } from './cancel.ts';
import { batchCost } from './cost.ts';
import { forecastBatch } from './forecast.ts';
import { retryBatch } from './retry.ts';
import { runBatchFlow } from './run-flow.ts';
import { batchStatus } from './status.ts';
import { batchSummary } from './summary.ts';

export const batchesGroup = {
  description: 'Run a flow on many records: start, follow and cancel a batch, and read its costs.',
  endpoints: [runBatchFlow, batchStatus, cancelBatch, retryBatch, forecastBatch, batchSummary, batchCost],
} as const satisfies EndpointGroup;
