import { newId } from '../../../../shared/core/ids.ts';
import { createExportNotification } from '../../../../shared/domain/telemetry/telemetry-notice.ts';
import { TelemetryBody } from '../../../../shared/domain/telemetry/telemetry-setting.ts';
import { telemetryReader, telemetryWriter } from '../../../../shared/domain/telemetry/telemetry-store.ts';
import { runExporter } from '../../../../shared/execution/telemetry/tenant-exports.ts';
import type { Pattern } from './access-pattern.ts';
import { type AccessWorld, sessionPrincipal } from './access-world.ts';

const setting = TelemetryBody.parse({ endpoint: 'https://collector.example.com', headers: { a: 'b' } });

const withSetting = (world: AccessWorld) =>
  telemetryWriter(world.scope).put(sessionPrincipal(world.tenant), setting);

/** An export of a run that is no more. */
async function newExport({ scope }: AccessWorld) {
  const id = newId('exec');
  const { writes } = await createExportNotification(scope, { runId: id, kind: 'flow' });
  await scope.table.commit(writes);
  const { SK } = (writes[0] as { Put: { Item: { SK: string } } }).Put.Item;
  return { id, to: SK.split('#')[1] ?? '' };
}

/** How the export of runs asks the table. */
export const telemetryPatterns: Record<string, Pattern> = {
  'Read where runs are sent': {
    commands: 'GetItem',
    units: 1,
    run: async (world) => {
      await withSetting(world);
      return () => telemetryReader(world.scope)();
    },
  },
  'Change where runs are sent': {
    commands: 'GetItem, TransactWriteItems',
    units: [3, 9],
    run: async (world) => {
      await withSetting(world);
      return () => withSetting(world);
    },
  },
  'Stop the export of runs': {
    commands: 'GetItem, TransactWriteItems',
    units: [3, 7],
    run: async (world) => {
      await withSetting(world);
      return () => telemetryWriter(world.scope).remove(sessionPrincipal(world.tenant));
    },
  },
  'Look who collects a run that ends': {
    commands: 'GetItem',
    units: 0.5,
    run: async ({ scope }) => {
      return () => createExportNotification(scope, { runId: newId('exec'), kind: 'flow' });
    },
  },
  'Write an export': {
    commands: 'GetItem, PutItem',
    units: 2.5,
    indexes: 'GSI2',
    run: async (world) => {
      await withSetting(world);
      return () => newExport(world);
    },
  },
  'Drop the export of a run that is no more': {
    commands: 'UpdateItem, GetItem, BatchGetItem, DeleteItem',
    units: [3, 6.5],
    indexes: 'GSI2',
    run: async (world) => {
      await withSetting(world);
      const key = await newExport(world);
      return () => runExporter(world.scope)(key);
    },
  },
};
