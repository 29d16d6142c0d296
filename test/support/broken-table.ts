import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { documentClient } from '../../shared/data/client.ts';
import { tenantTable } from '../../shared/data/table.ts';
import { stack } from './stack.ts';

/** What may come between the SDK and DynamoDB: sees each request that goes out, and may throw in its place. */
export interface Interference {
  /** Also called for each time that the SDK itself tries again. */
  before?: (command: string, input: Record<string, unknown>) => void;
  /** Called when DynamoDB has carried out a request: may lose its answer. */
  after?: (command: string, input: Record<string, unknown>) => void;
}

/** A tenant's table on the stack's engine, with something in between. */
export function brokenTable(tenant: string, { before, after }: Interference) {
  const client = new DynamoDBClient({});
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (sent) => {
        const command = String(commandName).replace(/Command$/, '');
        const input = sent.input as Record<string, unknown>;
        before?.(command, input);
        const result = await next(sent);
        after?.(command, input);
        return result;
      },
    { step: 'finalizeRequest', priority: 'low', name: 'interfere' },
  );
  return tenantTable(documentClient(client), stack().table, tenant);
}

/** How DynamoDB cancels a transaction; one code for each of its writes. */
export const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

/** How DynamoDB refuses what is too much for it. */
export const throttled = () =>
  Object.assign(new Error('Throughput exceeds the current capacity'), {
    name: 'ThrottlingException',
    $metadata: { httpStatusCode: 400 },
  });
