import { deref } from '@smithy/core/schema';
import type { StaticOperationSchema } from '@smithy/types';
import { createShapeReader, createShapeWriter, type ShapeReader, type ShapeWriter } from './shapes.ts';

/** An operation of DynamoDB. */
export interface DynamoOperation {
  /** DynamoDB's name, such as `GetItem`. */
  name: string;
  schema: StaticOperationSchema;
  write: ShapeWriter;
  read: ShapeReader;
}

const known = new Map<unknown, DynamoOperation>();

/** The operation of a command of the document client. */
export function commandOperation(command: object): DynamoOperation {
  const found = known.get(command.constructor);
  if (found) return found;
  const { schema } = (command as { clientCommand: { schema: StaticOperationSchema } }).clientCommand;
  const [, , name, , input, output] = schema;
  const operation = {
    name,
    schema,
    write: createShapeWriter(deref(input)),
    read: createShapeReader(deref(output)),
  };
  known.set(command.constructor, operation);
  return operation;
}
