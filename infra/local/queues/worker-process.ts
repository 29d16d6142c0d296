/** Runs as a child process: Lambdas of queues, until the parent ends. */
import { enableCompileCache } from 'node:module';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { noteClockJump } from '../../../shared/core/earlier-process.ts';
import { log } from '../../../shared/core/log.ts';
import { watchClock } from '../runtime/clock-jumps.ts';
import { invoke } from '../runtime/invoke.ts';
import { enforceGrants } from '../runtime/lambda-grants.ts';

export interface Invocation {
  id: number;
  name: string;
  event: SQSEvent;
  timeoutSeconds: number;
}

export interface InvocationEnd {
  id: number;
  answer?: SQSBatchResponse | undefined;
  /** It has thrown, and the log says what. */
  failed?: true;
}

enableCompileCache();
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
process.on('unhandledRejection', (error) => log.error('Unhandled promise rejection', { error }));
// However the parent ends: what runs here has lost its servers.
process.on('disconnect', () => process.exit());
enforceGrants();
watchClock(noteClockJump);

const end = (message: InvocationEnd | 'ready') => process.connected && process.send?.(message);

process.on('message', async ({ id, name, event, timeoutSeconds }: Invocation) => {
  try {
    end({ id, answer: await invoke(name, event, timeoutSeconds) });
  } catch (error) {
    log.error('A worker failed', { error, worker: name });
    end({ id, failed: true });
  }
});
end('ready');
