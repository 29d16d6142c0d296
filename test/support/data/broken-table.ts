import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { retryOutages } from '../../../shared/platform/data/retry-contention.ts';
import { tenantTable } from '../../../shared/platform/data/table.ts';
import { stack } from '../stack/stack.ts';

/** What may come between the SDK and DynamoDB: sees each request that goes out, and may delay it, or throw in its place. */
export interface Interference {
  /** Also called for each time that the SDK itself tries again. */
  before?: (command: string, input: Record<string, unknown>) => void | Promise<void>;
  /** Called when DynamoDB has carried out a request: may lose its answer. */
  after?: (command: string, input: Record<string, unknown>) => void;
}

/** A tenant's table on the stack's engine, with something in between. @param patience Until when it is waited for. */
export function brokenTable(tenant: string, { before, after }: Interference, patience?: AbortSignal) {
  const client = new DynamoDBClient({});
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (sent) => {
        const command = String(commandName).replace(/Command$/, '');
        const input = sent.input as Record<string, unknown>;
        await before?.(command, input);
        const result = await next(sent);
        after?.(command, input);
        return result;
      },
    { step: 'finalizeRequest', priority: 'low', name: 'interfere' },
  );
  const documents = documentClient(client);
  return tenantTable(patience ? retryOutages(documents, patience) : documents, stack().table, tenant);
}

/** How DynamoDB cancels a transaction; one code for each of its writes. */
export const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

/** How DynamoDB answers where it fails by itself. */
export const outage = () =>
  Object.assign(new Error('Internal server error'), {
    name: 'InternalServerError',
    $metadata: { httpStatusCode: 500 },
  });

/** How a DynamoDB looks that cannot be reached. */
export const unreachable = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/** How DynamoDB refuses what is too much for it. */
export const throttled = () =>
  Object.assign(new Error('Throughput exceeds the current capacity'), {
    name: 'ThrottlingException',
    $metadata: { httpStatusCode: 400 },
  });
