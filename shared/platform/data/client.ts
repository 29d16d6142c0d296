import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { lean } from '../aws/lean.ts';

/** A document client as every store expects it: absent members are left out of items. */
export const documentClient = (client = new DynamoDBClient({})) =>
  DynamoDBDocumentClient.from(lean(client), { marshallOptions: { removeUndefinedValues: true } });
