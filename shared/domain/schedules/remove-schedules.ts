import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { scheduleCountEntity, schedulePartition, schedulesPartition } from './schedule.ts';
import { wakeUps } from './wake-ups.ts';

/** Removes a schedule that was deleted: its entries in EventBridge Scheduler, its item and its history. */
export const scheduleCleaner = /* @__PURE__ */ using(
  ['table:write', 'table:delete', wakeUps],
  (scope: Scope) =>
    async (id: string): Promise<void> => {
      const { table } = scope;
      await wakeUps(scope).remove(id);
      await table.removeRange({ partition: schedulePartition(id) });
    },
);

export const scheduleRemover = /* @__PURE__ */ using(
  [scheduleCleaner],
  (scope: Scope) =>
    async (surfaceId: string): Promise<void> => {
      const { table } = scope;
      for await (const entries of table.pages({ partition: schedulesPartition(surfaceId), index: 1 })) {
        for (const { SK1 } of entries) await scheduleCleaner(scope)(String(SK1));
      }
      await table.removeAll([scheduleCountEntity.key({ surfaceId })]);
    },
);
