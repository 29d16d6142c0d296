import type { SQSBatchItemFailure, SQSBatchResponse } from 'aws-lambda';
import { runWithLogFields } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import type { QueueMessage } from '../../platform/aws/messages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { productionRuntime } from '../../platform/runtime.ts';

interface TenantMessage {
  tenant: string;
  id: string;
  /** How often it found no place of the tenant. */
  waits?: number | undefined;
}

interface Place<Message> {
  handle: (message: Message, waits?: number) => Promise<void>;
  release: () => Promise<void>;
}

/** Handles the messages of each tenant in one of its places. @returns those that SQS delivers again */
export async function handleByTenant<Message extends TenantMessage>(
  received: readonly QueueMessage<Message>[],
  openPlace: (scope: Scope) => Promise<Place<Message>>,
  fieldsOf: (message: Message) => Record<string, string>,
): Promise<SQSBatchResponse> {
  const byTenant = Map.groupBy(received, ({ message }) => message.tenant);
  const failed = await Promise.all(
    [...byTenant].map(([tenant, messages]) =>
      handleOfTenant(messages, openPlace(productionRuntime().scopeOf(tenant)), fieldsOf),
    ),
  );
  return { batchItemFailures: failed.flat() };
}

async function handleOfTenant<Message extends TenantMessage>(
  received: readonly QueueMessage<Message>[],
  place: Promise<Place<Message>>,
  fieldsOf: (message: Message) => Record<string, string>,
): Promise<SQSBatchItemFailure[]> {
  const failed = await Promise.all(
    received.map(({ record, message }) =>
      runWithLogFields({ tenant: message.tenant, ...fieldsOf(message) }, async () => {
        try {
          await (await place).handle(message, message.waits);
          return [];
        } catch (error) {
          log.error('A delivery could not be attempted and will be retried', { error });
          return [{ itemIdentifier: record.messageId }];
        }
      }),
    ),
  );
  await place.then(
    ({ release }) => release(),
    () => {},
  );
  return failed.flat();
}
