import { combineRequirements } from '../../platform/aws/uses.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { postponeSweep } from '../deliveries/outbox.ts';
import { type Sweeping, sweepOutbox } from '../deliveries/sweep-outbox.ts';
import { exportQueue } from './export-queue.ts';
import { exportOutbox } from './run-export.ts';

export const exportSweepRequirements = combineRequirements('table:write', exportQueue);

const exports: Sweeping = {
  sweep: exportOutbox.sweep,
  async resend(scope, { SK }, due) {
    const [id = '', to = ''] = SK.split('#');
    await exportQueue(scope).send({ id, to });
    await postponeSweep(scope, exportOutbox, { id, to }, { due, sentAt: due });
  },
};

/** Sends the messages of exports that crashes prevented. */
export const sweepExports = (runtime: Runtime, due: Date, timeLeftMs: () => number): Promise<void> =>
  sweepOutbox(runtime, exports, due, timeLeftMs);
