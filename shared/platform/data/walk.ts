import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { requireEnv } from '../../core/environment.ts';
import { using } from '../aws/uses.ts';
import { documentClient } from './client.ts';
import type { AnyEntity } from './entity.ts';
import type { QueryOptions } from './query.ts';
import type { StoredItem } from './table.ts';
import { prefixValues, toAttributeNames } from './writes.ts';

interface WalkOptions {
  entity: AnyEntity;
  filter?: QueryOptions['filter'];
  /** Items to examine, of every kind. */
  limit: number;
  /** Where the page before ended. */
  after: Position | undefined;
}

interface Position {
  PK: string;
  SK: string;
}

export interface WalkedPage {
  /** Those of the entity, of all tenants. */
  items: StoredItem[];
  examined: number;
  /** `undefined` at the end of the table. */
  next: Position | undefined;
}

export type WalkTable = (options: WalkOptions) => Promise<WalkedPage>;

const client = loadOnce(() => documentClient());

/** For migrations only: it reads every item. May leave out items that are written during the walk. */
export const tableWalk = /* @__PURE__ */ using(
  ['table:walk'],
  (TableName = requireEnv('TABLE_NAME')): WalkTable =>
    async ({ entity, filter, limit, after }) => {
      const FilterExpression = ['#_type = :type', filter?.expression ?? []].flat().join(' AND ');
      const command = new ScanCommand({
        TableName,
        FilterExpression,
        ...toAttributeNames(FilterExpression),
        ExpressionAttributeValues: prefixValues({ type: entity.type, ...filter?.values }),
        Limit: limit,
        ...(after && { ExclusiveStartKey: after }),
      });
      const { Items = [], ScannedCount = 0, LastEvaluatedKey } = await client().send(command);
      return {
        items: Items as StoredItem[],
        examined: ScannedCount,
        next: LastEvaluatedKey as Position | undefined,
      };
    },
);
