import type { SQSEvent } from 'aws-lambda';
import { log } from '../../shared/core/log.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { onConditionFailed } from '../../shared/platform/data/condition-failed.ts';
import { MigrationMessage, progressEntity } from '../../shared/platform/run-migration.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements('table:write');

/** Consumes the dead-letter queue of migrations: marks the migration as stopped, so that an operator starts it again. */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of parseMessages(MigrationMessage, event)) {
    log.error('A migration stopped: its messages fail', { migration: message.id });
    const { table, now } = productionRuntime().scopeOf('');
    const set = { state: 'stopped', updatedAt: now().toISOString() } as const;
    const isRunning = { expression: '#state = :running', values: { running: 'running' } };
    const write = table.writes.update(progressEntity, { id: message.id }, { set }, isRunning);
    await table.commit([write]).catch(onConditionFailed(undefined));
  }
}

export const handler = toWorker('stop-migration', handle);
