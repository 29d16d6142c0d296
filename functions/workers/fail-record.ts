import type { SQSEvent } from 'aws-lambda';
import { ConditionFailed } from '../../shared/data/condition-failed.ts';
import { log } from '../../shared/log.ts';
import { RunMessage } from '../../shared/runs/batch-plan.ts';
import { failRecord } from '../../shared/runs/record-runner.ts';
import { productionRuntime } from '../../shared/runtime.ts';

/** Takes the records that were given up on: they are failed with a reason, so that their batch ends. */
export async function handler(event: SQSEvent): Promise<void> {
  for (const { body } of event.Records) {
    const message = RunMessage.parse(JSON.parse(body));
    log.error('A record was given up on', { ...message });
    try {
      await failRecord(
        productionRuntime().scopeOf(message.tenant),
        message,
        'The run broke off again and again and was given up',
      );
    } catch (error) {
      // The run had ended after all.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}
