import { deref } from '@smithy/core/schema';
import type { StaticOperationSchema } from '@smithy/types';
import { type Reader, readerOf, type Writer, writerOf } from './shapes.ts';

/** An operation of DynamoDB. */
export interface Operation {
  /** DynamoDB's name, such as `GetItem`. */
  name: string;
  schema: StaticOperationSchema;
  write: Writer;
  read: Reader;
}

const known = new Map<unknown, Operation>();

/** The operation of a command of the document client. */
export function operationOf(command: object): Operation {
  const found = known.get(command.constructor);
  if (found) return found;
  const { schema } = (command as { clientCommand: { schema: StaticOperationSchema } }).clientCommand;
  const [, , name, , input, output] = schema;
  const operation = { name, schema, write: writerOf(deref(input)), read: readerOf(deref(output)) };
  known.set(command.constructor, operation);
  return operation;
}
