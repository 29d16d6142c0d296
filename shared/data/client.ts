import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** A document client as every store expects it: absent members are left out of items. */
export const documentClient = (client = new DynamoDBClient({})) =>
  DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
