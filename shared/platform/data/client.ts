import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { withoutSdkLogger } from '../aws/without-sdk-logger.ts';

/** The document client of every store. It drops `undefined` members. */
export const documentClient = (client = new DynamoDBClient({})) =>
  DynamoDBDocumentClient.from(withoutSdkLogger(client), { marshallOptions: { removeUndefinedValues: true } });
