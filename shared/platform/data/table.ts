/**
 * The table as one tenant sees it: the only place where commands are sent to DynamoDB, apart from the walk of migrations
 * (`walk.ts`).
 *
 * Every key gets the tenant's name, so that no caller can reach another tenant's items; shared partitions are declared as such
 * in `keys.ts`. Items that have expired are absent from every read and condition, although DynamoDB deletes them up to days
 * later. Reads decode through the entity; writes are built by `writes.ts` and take effect in `commit` (all or none, with
 * retries of contention and throttling), in `updateAndGet`, or one by one in `insertAll` and `removeAll`, of which a crash may
 * leave a part undone: callers repeat them.
 *
 * Stores get it in their `Scope`; `runtime.ts` makes it. Lists with pages and filters are in `lists/`, versions of documents
 * in `versions/`.
 */

import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { toChunks } from '../../core/chunks.ts';
import { mapYielding } from '../../core/concurrency/event-loop.ts';
import {
  type AnyEntity,
  createConflictError,
  createMissingError,
  decode,
  type ItemOf,
  type KeyOf,
  type NamedEntity,
} from './entity.ts';
import { type Clock, filterUnexpired, isExpired, removeListedExpiry } from './expiry.ts';
import { type Key, type StoredKey, toStoredKey, toStoredPartition } from './keys.ts';
import { type Decide, type ModifyOptions, modify, type Revisioned } from './modify.ts';
import { type QueryOptions, queryInput, type WalkOptions } from './query.ts';
import type { RequestSignal } from './requests/attempt.ts';
import { type LazyItem, lazily, toLazyItem } from './requests/lazy-items.ts';
import { backOff, retryContention } from './retry-contention.ts';
import { createWrites, type PutWrite, type Write } from './writes.ts';

type Attributes = Record<string, unknown>;

export type StoredItem = Attributes & StoredKey;

/**
 * What one Query read. It ends after 1 MB, or after what it was to read at most, so its number of items says nothing
 * about what follows: it may have none and not be the last.
 */
export interface QueryPage {
  items: StoredItem[];
  /** The sort key of the last entry that was read; `undefined` on the last page. */
  readTo: string | undefined;
}

interface GetManyOptions {
  consistent?: boolean;
  /** Default: all. */
  fields?: readonly string[];
}

/** The first items of a query. */
export interface FirstItems {
  items: StoredItem[];
  /** More may follow. */
  isCut: boolean;
}

export interface RowCount {
  count: number;
  /** The count ended at a bound: there may be more. */
  isMinimum: boolean;
}

const batchGetMax = 100;
/** A page of items of 400 KB is in memory at once. */
const removedAtOnce = 200;

/**
 * Every key has the tenant's name. Only this file, `retry-contention.ts` and `walk.ts` send commands to DynamoDB.
 * @param now Items that have expired by then are absent.
 */
export const tenantTable = (
  client: DynamoDBDocumentClient,
  TableName: string,
  tenant: string,
  now: Clock = () => new Date(),
): TenantTable =>
  Object.assign(createOperations(client, TableName, tenant, now), {
    until: (signal: AbortSignal) => tenantTable(bindSignal(client, signal), TableName, tenant, now),
    at: (other: Clock) => tenantTable(client, TableName, tenant, other),
  });

export type TenantTable = ReturnType<typeof createOperations> & {
  /** The same view, whose pending and further requests fail once the signal is aborted. */
  until: (signal: AbortSignal) => TenantTable;
  /** The same view by another clock. */
  at: (now: Clock) => TenantTable;
};

function createOperations(client: DynamoDBDocumentClient, TableName: string, tenant: string, now: Clock) {
  const table = {
    tenant,
    writes: createWrites(tenant, now),

    async get<E extends AnyEntity>(
      entity: E,
      key: KeyOf<E>,
      { consistent = false } = {},
    ): Promise<ItemOf<E> | undefined> {
      const Key = toStoredKey(tenant, entity.key(key));
      if (!isPossible(Key)) return undefined;
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: consistent }));
      return Item && !isExpired(Item, now) ? decode(entity, Item) : undefined;
    },

    /** An item that a caller names. By `this.get`, which a view of the table may replace. @throws 404 */
    async find<E extends NamedEntity>(
      entity: E,
      key: KeyOf<E>,
      options?: { consistent?: boolean },
    ): Promise<ItemOf<E>> {
      return orMissing(entity, await this.get(entity, key, options));
    },

    /** Items by their keys, in the requested order; `undefined` for a missing one. */
    async getMany(keys: readonly Key[], options?: GetManyOptions): Promise<(Attributes | undefined)[]> {
      const items = await table.getLazily(keys, options);
      return mapYielding(items, (item) => item && removeListedExpiry(item.read()));
    },

    /** The same, for those who drop most of them by a few attributes. */
    async getLazily(
      keys: readonly Key[],
      { consistent = false, fields }: GetManyOptions = {},
    ): Promise<(LazyItem | undefined)[]> {
      const found = new Map<string, LazyItem>();
      const asked = keys.map((key) => toStoredKey(tenant, key));
      const wanted = deduplicate(asked).filter(isPossible);
      await Promise.all(
        toChunks(wanted, batchGetMax).map(async (chunk) => {
          for (
            let Keys: Attributes[] = chunk.map(({ PK, SK }) => ({ PK, SK })), attempt = 0;
            Keys.length > 0;
            attempt++
          ) {
            if (attempt > 0) await backOff(attempt);
            const { Responses, UnprocessedKeys } = await client.send(
              new BatchGetCommand({
                RequestItems: {
                  [TableName]: { Keys, ConsistentRead: consistent, ...(fields && projectOnto(fields)) },
                },
              }),
              lazily,
            );
            for (const item of (Responses?.[TableName] ?? []).map(toLazyItem)) {
              const key = { PK: item.get('PK'), SK: item.get('SK') } as StoredKey;
              const expiry = { ttl: item.get('ttl'), summary: item.get('summary') };
              if (!isExpired(expiry, now)) found.set(nameKey(key), item);
            }
            Keys = UnprocessedKeys?.[TableName]?.Keys ?? [];
          }
        }),
      );
      return asked.map((key) => found.get(nameKey(key)));
    },

    /** Reads a query to its end, one Query at a time. For readers that bound what they read. */
    async *walk({ perQuery, withExpired, ...options }: WalkOptions): AsyncGenerator<QueryPage, void> {
      if (isEmptyRange(tenant, options)) return;
      for (let startKey: Attributes | undefined, queries = 0; ; queries++) {
        const limit = typeof perQuery === 'function' ? perQuery(queries) : perQuery;
        const input = queryInput(TableName, tenant, options, { limit, startKey });
        const { Items = [], LastEvaluatedKey } = await client.send(new QueryCommand(input));
        startKey = LastEvaluatedKey;
        const readTo = startKey?.[`SK${options.index ?? ''}`] as string | undefined;
        const items = withExpired ? Items : Items.filter((item) => !isExpired(item, now));
        yield { items: (items as StoredItem[]).map(removeListedExpiry), readTo };
        if (!startKey) return;
      }
    },

    /** Iterates over all items of a query, in lists of any length. */
    async *pages(options: WalkOptions): AsyncGenerator<StoredItem[], void> {
      for await (const { items } of table.walk(options)) yield items;
    },

    /** The first items of a query: so many, or all that there are. Usually one Query. */
    async first(count: number, options: QueryOptions): Promise<FirstItems> {
      const found: StoredItem[] = [];
      const perQuery = () => count - found.length;
      for await (const { items, readTo } of table.walk({ ...options, perQuery })) {
        found.push(...items);
        if (found.length >= count) return { items: found, isCut: readTo !== undefined };
      }
      return { items: found, isCut: false };
    },

    /** Returns all items of a query. For small lists only. */
    async queryAll(options: QueryOptions): Promise<StoredItem[]> {
      return (await Array.fromAsync(table.pages(options))).flat();
    },

    /** Counts the items of a query. Reads them all: its cost is the range, not a page. For small lists only. */
    async count(options: QueryOptions): Promise<number> {
      return (await table.countWithin(options, {})).count;
    },

    /** The same within bounds: of items to read, and of Queries, each of which reads up to 1 MB. */
    async countWithin(
      options: QueryOptions,
      { items = Number.POSITIVE_INFINITY, queries = Number.POSITIVE_INFINITY },
    ): Promise<RowCount> {
      let [count, read] = [0, 0];
      const unexpiredOnly = { ...options, filter: filterUnexpired(options.filter, options.index, now) };
      if (isEmptyRange(tenant, options)) return { count, isMinimum: false };
      for (let startKey: Attributes | undefined, sent = 1; ; sent++) {
        const limit = Number.isFinite(items) ? items - read : undefined;
        const { Count, ScannedCount, LastEvaluatedKey } = await client.send(
          new QueryCommand({
            ...queryInput(TableName, tenant, unexpiredOnly, { limit, startKey }),
            Select: 'COUNT',
          }),
        );
        count += Count ?? 0;
        read += ScannedCount ?? 0;
        if (!LastEvaluatedKey) return { count, isMinimum: false };
        if (sent >= queries || read >= items) return { count, isMinimum: true };
        startKey = LastEvaluatedKey;
      }
    },

    /** All or none, 100 at most. Retries contention and throttling. @throws ConditionFailed */
    async commit(writes: readonly Write[]): Promise<void> {
      await retryContention(() => sendWrites(client, TableName, writes));
    },

    async updateAndGet<E extends AnyEntity>(entity: E, write: Write): Promise<ItemOf<E>> {
      if (!('Update' in write)) throw new TypeError('Expected an update');
      const { Attributes } = await retryContention(() =>
        client.send(
          new UpdateCommand({
            ...write.Update,
            TableName,
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return decode(entity, Attributes ?? {});
    },

    modify,

    /** Modifies an item that a caller names. @throws 404; 409 after conflicts on every attempt */
    async change<E extends NamedEntity>(
      entity: E & Revisioned<E>,
      key: KeyOf<E>,
      decide: Decide<E>,
      options: ModifyOptions<ItemOf<E>> = {},
    ): Promise<ItemOf<E>> {
      const conflictError = () => createConflictError(entity);
      return orMissing(entity, await this.modify<E>(entity, key, decide, { conflictError, ...options }));
    },

    /** Deletes items by key, existing or not, named once or more. */
    removeAll(keys: readonly (Key | StoredItem)[]): Promise<void> {
      const stored = keys.map((key) => (isStored(key) ? key : toStoredKey(tenant, key)));
      const deletes = deduplicate(stored).map(({ PK, SK }) => ({ DeleteRequest: { Key: { PK, SK } } }));
      return sendBatches(client, TableName, deletes);
    },

    /** Deletes all items of a query, expired ones too. @param before Gets those of each page before they are deleted. */
    async removeRange(
      options: QueryOptions,
      before?: (items: readonly StoredItem[]) => Promise<unknown>,
    ): Promise<void> {
      for await (const items of table.pages({ ...options, perQuery: removedAtOnce, withExpired: true })) {
        await before?.(items);
        await table.removeAll(items);
      }
    },

    /** Writes items whose keys are new, in one request for 25 and without the price of a transaction: not all or none. */
    insertAll(puts: readonly PutWrite[]): Promise<void> {
      return sendBatches(
        client,
        TableName,
        puts.map(({ Put: { Item } }) => ({ PutRequest: { Item } })),
      );
    },
  };
  return table;
}
function orMissing<E extends NamedEntity>(entity: E, item: ItemOf<E> | undefined): ItemOf<E> {
  if (!item) throw createMissingError(entity);
  return item;
}

/** DynamoDB rejects an empty range, and a partition that none can have. */
const isEmptyRange = (tenant: string, { partition, from, to }: QueryOptions) =>
  (from !== undefined && to !== undefined && from > to) ||
  !fits(toStoredPartition(tenant, partition), partitionKeyBytesMax);

const partitionKeyBytesMax = 2_048;
const sortKeyBytesMax = 1_024;

/** No item has a longer key, and DynamoDB rejects the request: callers send ids of any length. */
const isPossible = ({ PK, SK }: StoredKey) => fits(PK, partitionKeyBytesMax) && fits(SK, sortKeyBytesMax);

/** In UTF-8, which has at most three bytes for each unit of a text. */
const fits = (text: string, bytes: number) => text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes;

const isStored = (key: Key | StoredItem): key is StoredItem => typeof key.PK === 'string';

const projectOnto = (fields: readonly string[]) => {
  const names = ['PK', 'SK', ...fields];
  return {
    ProjectionExpression: names.map((name) => `#${name}`).join(),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
  };
};

/** A request must name each item once. */
const deduplicate = <K extends StoredKey>(keys: readonly K[]): K[] => [
  ...new Map(keys.map((key) => [nameKey(key), key])).values(),
];

const nameKey = ({ PK, SK }: StoredKey) => `${PK}\0${SK}`;

type BatchItem =
  | { PutRequest: { Item: Record<string, unknown> } }
  | { DeleteRequest: { Key: Record<string, unknown> } };

const batchWriteMax = 25;

/** Sends writes without conditions, 25 in a request. Each item by itself: a crash can leave some of them unwritten. */
async function sendBatches(
  client: DynamoDBDocumentClient,
  TableName: string,
  items: readonly BatchItem[],
): Promise<void> {
  for (const chunk of toChunks(items, batchWriteMax)) {
    let left: Record<string, unknown>[] = chunk;
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt > 0) await backOff(attempt);
      const { UnprocessedItems } = await client.send(
        new BatchWriteCommand({ RequestItems: { [TableName]: left } }),
      );
      left = UnprocessedItems?.[TableName] ?? [];
    }
  }
}

/** Sends one write as its own command, several as one transaction. */
function sendWrites(
  client: DynamoDBDocumentClient,
  TableName: string,
  writes: readonly Write[],
): Promise<unknown> {
  const [write] = writes;
  if (writes.length === 1 && write) {
    if ('Put' in write) return client.send(new PutCommand({ TableName, ...write.Put }));
    if ('Update' in write) return client.send(new UpdateCommand({ TableName, ...write.Update }));
    if ('Delete' in write) return client.send(new DeleteCommand({ TableName, ...write.Delete }));
  }
  const TransactItems = writes.map((each) => {
    const [[kind, parameters]] = Object.entries(each) as [[string, Record<string, unknown>]];
    return { [kind]: { TableName, ...parameters } };
  });
  return client.send(new TransactWriteCommand({ TransactItems }));
}

/** A client whose requests fail once the signal is aborted. */
const bindSignal = (client: DynamoDBDocumentClient, signal: AbortSignal): DynamoDBDocumentClient => {
  const pending = new Set<RequestSignal>();
  const abort = () => {
    for (const request of pending) {
      request.aborted = true;
      request.onabort?.();
    }
  };
  signal.addEventListener('abort', abort, { once: true });
  const send = async (command: Parameters<DynamoDBDocumentClient['send']>[0], options?: object) => {
    signal.throwIfAborted();
    const request: RequestSignal = { aborted: false, onabort: null };
    pending.add(request);
    try {
      return await client.send(command, { ...options, abortSignal: request as unknown as AbortSignal });
    } finally {
      pending.delete(request);
    }
  };
  return { send } as unknown as DynamoDBDocumentClient;
};
