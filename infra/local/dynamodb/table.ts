import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { tableSchema } from '../../resources.ts';

/** Creates the table of `infra/resources.ts` unless it exists. */
export async function ensureTable(TableName: string): Promise<void> {
  const client = new DynamoDBClient({});
  try {
    await client.send(new DescribeTableCommand({ TableName }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    await client.send(new CreateTableCommand(definition(TableName)));
    const TimeToLiveSpecification = { AttributeName: tableSchema.timeToLive, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  } finally {
    client.destroy();
  }
}

function definition(TableName: string): CreateTableCommandInput {
  const keyed = [tableSchema, ...tableSchema.indexes];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keyed
      .flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey])
      .map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
    KeySchema: keysOf(tableSchema),
    GlobalSecondaryIndexes: tableSchema.indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keysOf(index),
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.projected] },
    })),
  };
}

const keysOf = ({ partitionKey, sortKey }: { partitionKey: string; sortKey: string }) => [
  { AttributeName: partitionKey, KeyType: 'HASH' as const },
  { AttributeName: sortKey, KeyType: 'RANGE' as const },
];
