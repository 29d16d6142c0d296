import type { SQSEvent } from 'aws-lambda';
import { CleanupMessage } from '../../shared/data/cleanup.ts';
import { cleaner } from '../../shared/runs/cleaner.ts';
import { productionRuntime } from '../../shared/runtime.ts';

/** Removes what hung on a deleted flow or record. Safe to repeat: what is gone already is passed over. */
export async function handler(event: SQSEvent): Promise<void> {
  for (const { body } of event.Records) {
    const { tenant, kind, id } = CleanupMessage.parse(JSON.parse(body));
    const clean = cleaner(productionRuntime().scopeOf(tenant));
    await (kind === 'flow' ? clean.flow(id) : clean.record(id));
  }
}
