import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { withoutSdkLogger } from '../aws/without-sdk-logger.ts';

/** A document client as every store expects it: absent members are left out of items. */
export const documentClient = (client = new DynamoDBClient({})) =>
  DynamoDBDocumentClient.from(withoutSdkLogger(client), { marshallOptions: { removeUndefinedValues: true } });
