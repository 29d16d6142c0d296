import type { Variables } from '../../core/variables/variables.ts';
import { payloadReader, payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { RunRecord } from '../runs/run-variables.ts';
import type { Batch } from './batch.ts';

/** The input of a dispatched run: its record unless that is stored, its input variables and its messages. */
export interface BatchInput {
  record?: RunRecord | undefined;
  inputs?: Variables | undefined;
  messages?: unknown;
}

export const offloadBatchInput = (scope: Scope, batchId: string, input: BatchInput) =>
  payloadWriter(scope).offload(`batches/${batchId}/input`, input);

export const fetchBatchInput = async (scope: Scope, batch: Batch | undefined): Promise<BatchInput> =>
  batch?.dispatched ? ((await payloadReader(scope).fetch(batch.dispatched.input)) as BatchInput) : {};
