import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { ExportMessage } from '../../shared/domain/deliveries/outbox-messages.ts';
import { attemptReceived } from '../../shared/domain/deliveries/outbox-worker.ts';
import { exportOutbox } from '../../shared/domain/telemetry/run-export.ts';
import { runExporter } from '../../shared/execution/telemetry/tenant-exports.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';

export const requirements = combineRequirements(runExporter, 'places:telemetry', { memoryMb: 1_024 });

/** Sends runs that have ended to collectors. A collector that fails is no error: the export has its next time. */
const handle = (event: SQSEvent): Promise<SQSBatchResponse> =>
  attemptReceived(parseMessages(ExportMessage, event), {
    outbox: exportOutbox,
    pool: { name: 'telemetry', variable: 'TELEMETRY_TENANT_PLACES' },
    attemptOf: runExporter,
    fieldsOf: ({ id: runId }) => ({ runId }),
  });

export const handler = toWorker('export-telemetry', handle);
