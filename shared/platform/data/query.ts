import { type Partition, storedPartition } from './keys.ts';
import { attributeNames, prefixed } from './writes.ts';

export interface QueryOptions {
  partition: Partition;
  index?: 1 | 2;
  /** Inclusive bounds of the sort key. */
  from?: string;
  to?: string;
  newestFirst?: boolean;
  limit?: number;
  filter?: { expression: string; values: Record<string, unknown> };
  consistent?: boolean;
  /** What the items have besides their keys. Default: all. Costs the same units, and less to transfer. */
  attributes?: readonly string[];
  startKey?: Record<string, unknown>;
}

export function queryInput(TableName: string, tenant: string, options: QueryOptions) {
  const {
    partition,
    index = '',
    from,
    to,
    newestFirst = false,
    limit,
    filter,
    consistent,
    attributes,
    startKey,
  } = options;
  const range =
    from !== undefined && to !== undefined
      ? ` AND #SK${index} BETWEEN :from AND :to`
      : from !== undefined
        ? ` AND #SK${index} >= :from`
        : to !== undefined
          ? ` AND #SK${index} <= :to`
          : '';
  const KeyConditionExpression = `#PK${index} = :partition${range}`;
  const ProjectionExpression = attributes && ['PK', 'SK', ...attributes].map((name) => `#${name}`).join(', ');
  return {
    TableName,
    ...(index && { IndexName: `GSI${index}` }),
    KeyConditionExpression,
    ...(filter && { FilterExpression: filter.expression }),
    ...(ProjectionExpression && { ProjectionExpression }),
    ...attributeNames(`${KeyConditionExpression} ${filter?.expression ?? ''} ${ProjectionExpression ?? ''}`),
    ExpressionAttributeValues: prefixed({
      partition: storedPartition(tenant, partition),
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
