import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handleByTenant } from '../../shared/domain/deliveries/tenant-messages.ts';
import { ExportMessage } from '../../shared/domain/telemetry/export-queue.ts';
import { tenantExports } from '../../shared/execution/telemetry/tenant-exports.ts';
import { parseMessages } from '../../shared/platform/aws/messages.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';

export const requirements = combineRequirements(tenantExports, { memoryMb: 1_024 });

/** Sends runs that have ended to collectors. A collector that fails is no error: the export has its next time. */
const handle = (event: SQSEvent): Promise<SQSBatchResponse> =>
  handleByTenant(parseMessages(ExportMessage, event), tenantExports, ({ id: runId }) => ({ runId }));

export const handler = toWorker('export-telemetry', handle);
