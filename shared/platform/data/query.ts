import { type Partition, toStoredPartition } from './keys.ts';
import { prefixValues, toAttributeNames } from './writes.ts';

export interface QueryOptions {
  partition: Partition;
  index?: 1 | 2;
  /** Inclusive bounds of the sort key. */
  from?: string;
  to?: string;
  newestFirst?: boolean;
  filter?: { expression: string; values: Record<string, unknown> };
  consistent?: boolean;
  /** What the items have besides their keys. Default: all. Costs the same units, and less to transfer. */
  attributes?: readonly string[];
}

export interface WalkOptions extends QueryOptions {
  /** How many entries a Query reads at most, by the number of Queries before it. Without it, 1 MB. */
  perQuery?: number | ((queriesBefore: number) => number);
  /** For deletions: also items that have expired. */
  withExpired?: true;
}

/** What one Query reads of a query. */
interface Part {
  limit: number | undefined;
  startKey: Record<string, unknown> | undefined;
}

export function queryInput(
  TableName: string,
  tenant: string,
  options: QueryOptions,
  { limit, startKey }: Part,
) {
  const { partition, index = '', from, to, newestFirst = false, filter, consistent, attributes } = options;
  const range =
    from !== undefined && to !== undefined
      ? ` AND #SK${index} BETWEEN :from AND :to`
      : from !== undefined
        ? ` AND #SK${index} >= :from`
        : to !== undefined
          ? ` AND #SK${index} <= :to`
          : '';
  const KeyConditionExpression = `#PK${index} = :partition${range}`;
  // An index has none but in `summary`.
  const expiry = index ? [] : ['ttl'];
  const projected = attributes && [...new Set(['PK', 'SK', ...expiry, ...attributes])];
  const ProjectionExpression = projected?.map((name) => `#${name}`).join(', ');
  return {
    TableName,
    ...(index && { IndexName: `GSI${index}` }),
    KeyConditionExpression,
    ...(filter && { FilterExpression: filter.expression }),
    ...(ProjectionExpression && { ProjectionExpression }),
    ...toAttributeNames(
      `${KeyConditionExpression} ${filter?.expression ?? ''} ${ProjectionExpression ?? ''}`,
    ),
    ExpressionAttributeValues: prefixValues({
      partition: toStoredPartition(tenant, partition),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...filter?.values,
    }),
    ScanIndexForward: !newestFirst,
    ...(limit !== undefined && { Limit: limit }),
    ...(consistent && { ConsistentRead: true }),
    ...(startKey && { ExclusiveStartKey: startKey }),
  };
}
