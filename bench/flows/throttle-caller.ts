import { setTimeout as sleep } from 'node:timers/promises';
import { modelPorts } from '../../shared/adapters/models/model-ports.ts';
import { collect } from '../../shared/adapters/ports/model-port.ts';
import { modelAdmission } from '../../shared/execution/model-calls/model-admission.ts';
import { runtimeOn, useTable } from '../http/warm-get.ts';
import { startRecording, stopRecording } from '../measure/recorder.ts';

/** What this process is to do: calls without end of each of its workers, for so long. */
export interface Calls {
  dynamodb: string;
  table: string;
  tenant: string;
  modelsUrl: string;
  configId: string;
  requestsPerMinute: number;
  workers: number;
  /** Of a worker between two calls. */
  pauseMs: number;
  ms: number;
}

export interface CallsMade {
  calls: number;
  writeUnits: number;
  writes: number;
}

process.on('message', async (order: Calls) => {
  useTable(order.dynamodb, order.table);
  const scope = runtimeOn(order.table)().scopeOf(order.tenant);
  const limits = { config: { requestsPerMinute: order.requestsPerMinute } };
  const { model } = modelPorts(
    async (modelId) => ({
      provider: 'generic-openai',
      modelId,
      credentials: { baseUrl: order.modelsUrl, apiKey: 'none' },
      keySource: 'custom',
      configId: order.configId,
      limits,
    }),
    undefined,
    modelAdmission(scope, { isLive: true }),
  );
  const over = AbortSignal.timeout(order.ms);
  let calls = 0;
  startRecording({ capacity: true });
  await Promise.all(
    Array.from({ length: order.workers }, async (_, worker) => {
      await sleep((order.pauseMs * worker) / order.workers);
      while (!over.aborted) {
        const messages = [{ role: 'user' as const, content: 'Hello' }];
        const asked = model.stream({ model: order.configId, messages, streamed: false, signal: over });
        const response = await collect(asked).catch((error) => {
          if (!over.aborted) throw error;
        });
        if (response) calls++;
        await sleep(order.pauseMs);
      }
    }),
  );
  const writes = stopRecording().filter(({ name }) => name === 'Put');
  // A write that is refused, since another process was quicker, costs one too.
  const writeUnits = writes.reduce((sum, { capacityUnits }) => sum + Math.max(1, capacityUnits), 0);
  process.send?.({ calls, writeUnits, writes: writes.length } satisfies CallsMade);
});
