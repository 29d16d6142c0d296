import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { newId } from '../../../shared/core/ids.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { tenantTable } from '../../../shared/platform/data/table.ts';
import type { Runtime } from '../../../shared/platform/runtime.ts';
import { stack } from './stack.ts';

interface Capacity {
  CapacityUnits?: number;
}

/**
 * A runtime on the stack's real table that releases the responses of all pending requests at once. A request that waits
 * for another is therefore in a later trip, and parallel ones are in the same.
 */
export function roundTripRuntime() {
  let trips: string[][] = [];
  let pending: (() => void)[] = [];
  let open = 0;
  let units = 0;
  const client = new DynamoDBClient({});
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (sent) => {
        if (open === 0 || trips.length === 0) trips.push([]);
        trips.at(-1)?.push(String(commandName).replace(/Command$/, ''));
        open++;
        Object.assign(sent.input, { ReturnConsumedCapacity: 'TOTAL' });
        try {
          const result = await next(sent);
          const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: Capacity | Capacity[] };
          for (const { CapacityUnits = 0 } of [ConsumedCapacity].flat()) units += CapacityUnits;
          return result;
        } finally {
          await new Promise<void>((resolve) => {
            pending.push(resolve);
            if (pending.length < open) return;
            for (const release of pending) release();
            [pending, open] = [[], 0];
          });
        }
      },
    { step: 'initialize', name: 'roundTrips' },
  );
  const documents = documentClient(client);
  const runtime: Runtime = {
    scopeOf: (tenant) => ({
      table: tenantTable(documents, stack().table, tenant),
      now: () => new Date(),
      newId,
    }),
  };
  const begin = () => {
    trips = [];
    units = 0;
  };
  return { runtime, begin, trips: () => trips, units: () => units };
}
