import {
  BatchGetCommand,
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { chunksOf } from '../../core/chunks.ts';
import { backOff, retryContention, sendWrites } from './commit.ts';
import { type AnyEntity, decode, type ItemOf, type KeyOf } from './entity.ts';
import { type Key, type StoredKey, storedKey } from './keys.ts';
import { modify } from './modify.ts';
import { type QueryOptions, queryInput } from './query.ts';
import { type Write, writesFor } from './writes.ts';

type Attributes = Record<string, unknown>;

/** An item, or its entry in an index, as the table holds it. */
export type StoredItem = Attributes & StoredKey;

export interface QueryPage {
  items: StoredItem[];
  nextKey: Attributes | undefined;
}

const batchGetMax = 100;
const batchWriteMax = 25;

/**
 * The one table, as one tenant sees it: every key is made with this tenant's name in it.
 * With `commit.ts`, which sends writes, the only module that sends commands to DynamoDB.
 */
export function tenantTable(client: DynamoDBDocumentClient, TableName: string, tenant: string) {
  const table = {
    tenant,
    writes: writesFor(tenant),

    async get<E extends AnyEntity>(
      entity: E,
      key: KeyOf<E>,
      { consistent = false } = {},
    ): Promise<ItemOf<E> | undefined> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: storedKey(tenant, entity.key(key)), ConsistentRead: consistent }),
      );
      return Item && decode(entity, Item);
    },

    /** Any items by their keys, in the order asked for; `undefined` where there is none. */
    async getMany(keys: readonly Key[], { consistent = false } = {}): Promise<(Attributes | undefined)[]> {
      const found = new Map<string, Attributes>();
      const asked = keys.map((key) => storedKey(tenant, key));
      const wanted = [...new Map(asked.map((key) => [nameOf(key), key])).values()];
      await Promise.all(
        chunksOf(wanted, batchGetMax).map(async (chunk) => {
          for (
            let Keys: Attributes[] = chunk.map(({ PK, SK }) => ({ PK, SK })), attempt = 0;
            Keys.length > 0;
            attempt++
          ) {
            if (attempt > 0) await backOff(attempt);
            const { Responses, UnprocessedKeys } = await client.send(
              new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: consistent } } }),
            );
            for (const item of Responses?.[TableName] ?? []) found.set(nameOf(item as StoredItem), item);
            Keys = UnprocessedKeys?.[TableName]?.Keys ?? [];
          }
        }),
      );
      return asked.map((key) => found.get(nameOf(key)));
    },

    async query(options: QueryOptions): Promise<QueryPage> {
      if (isEmptyRange(options)) return { items: [], nextKey: undefined };
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({ ...queryInput(TableName, tenant, options) }),
      );
      return { items: Items as StoredItem[], nextKey: LastEvaluatedKey };
    },

    /** All that a query matches, as it is taken. */
    async *pages(options: Omit<QueryOptions, 'startKey'>): AsyncGenerator<StoredItem[], void> {
      for (let startKey: Attributes | undefined; ; ) {
        const page = await table.query({ ...options, ...(startKey && { startKey }) });
        yield page.items;
        startKey = page.nextKey;
        if (!startKey) return;
      }
    },

    /** The same all at once: for what is few by its nature. */
    async queryAll(options: Omit<QueryOptions, 'limit' | 'startKey'>): Promise<StoredItem[]> {
      return (await Array.fromAsync(table.pages(options))).flat();
    },

    /** How many items a query matches. Reads them all: its cost is the range, not a page. */
    async count(options: Omit<QueryOptions, 'limit' | 'startKey'>): Promise<number> {
      let total = 0;
      if (isEmptyRange(options)) return total;
      for (let startKey: Attributes | undefined; ; ) {
        const { Count = 0, LastEvaluatedKey } = await client.send(
          new QueryCommand({
            ...queryInput(TableName, tenant, { ...options, ...(startKey && { startKey }) }),
            Select: 'COUNT',
          }),
        );
        total += Count;
        if (!LastEvaluatedKey) return total;
        startKey = LastEvaluatedKey;
      }
    },

    /**
     * Applies the writes together or not at all; more than one is a transaction (100 at most).
     * @throws ConditionFailed when a condition does not hold. Contention and throttling are tried again.
     */
    async commit(writes: readonly Write[]): Promise<void> {
      await retryContention(() => sendWrites(client, TableName, writes));
    },

    /** One conditional update that answers the item as it is then. */
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

    /** Deletes by key, whether they are there or not. */
    async removeAll(keys: readonly (Key | StoredItem)[]): Promise<void> {
      const stored = keys.map((key) => (isStored(key) ? key : storedKey(tenant, key)));
      for (const chunk of chunksOf(stored, batchWriteMax)) {
        let requests: Attributes[] = chunk.map(({ PK, SK }) => ({ DeleteRequest: { Key: { PK, SK } } }));
        for (let attempt = 0; requests.length > 0; attempt++) {
          if (attempt > 0) await backOff(attempt);
          const { UnprocessedItems } = await client.send(
            new BatchWriteCommand({ RequestItems: { [TableName]: requests } }),
          );
          requests = UnprocessedItems?.[TableName] ?? [];
        }
      }
    },
  };
  return table;
}
export type TenantTable = ReturnType<typeof tenantTable>;

/** DynamoDB refuses bounds that contain nothing. */
const isEmptyRange = ({ from, to }: Pick<QueryOptions, 'from' | 'to'>) =>
  from !== undefined && to !== undefined && from > to;

const isStored = (key: Key | StoredItem): key is StoredItem => typeof key.PK === 'string';

const nameOf = ({ PK, SK }: StoredKey) => `${PK}\0${SK}`;
