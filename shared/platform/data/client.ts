import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { removeSdkLogger } from '../aws/sdk-clients.ts';
import { DocumentClient } from './requests/document-client.ts';

/** The document client of every store. It drops `undefined` members. */
export const documentClient = (client = new DynamoDBClient({})): DynamoDBDocumentClient =>
  new DocumentClient(removeSdkLogger(client));
