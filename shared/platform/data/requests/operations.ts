import {
  BatchGetItem$,
  BatchWriteItem$,
  DeleteItem$,
  GetItem$,
  PutItem$,
  Query$,
  Scan$,
  TransactGetItems$,
  TransactWriteItems$,
  UpdateItem$,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { deref } from '@smithy/core/schema';
import { type Reader, readerOf, type Writer, writerOf } from './shapes.ts';

export type OperationSchema = typeof GetItem$;

/** An operation of DynamoDB that requests are made for without the SDK. */
export interface Operation {
  /** DynamoDB's name, such as `GetItem`. */
  name: string;
  schema: OperationSchema;
  write: Writer;
  read: Reader;
}

const schemas: ReadonlyMap<unknown, OperationSchema> = new Map<unknown, OperationSchema>([
  [GetCommand, GetItem$],
  [BatchGetCommand, BatchGetItem$],
  [QueryCommand, Query$],
  [ScanCommand, Scan$],
  [PutCommand, PutItem$],
  [UpdateCommand, UpdateItem$],
  [DeleteCommand, DeleteItem$],
  [BatchWriteCommand, BatchWriteItem$],
  [TransactGetCommand, TransactGetItems$],
  [TransactWriteCommand, TransactWriteItems$],
]);

const known = new Map<unknown, Operation>();

/** @returns `undefined` for commands that only the SDK sends. */
export function operationOf(command: object): Operation | undefined {
  const found = known.get(command.constructor);
  if (found) return found;
  const schema = schemas.get(command.constructor);
  if (!schema) return undefined;
  const [, , name, , input, output] = schema;
  const operation = { name, schema, write: writerOf(deref(input)), read: readerOf(deref(output)) };
  known.set(command.constructor, operation);
  return operation;
}
