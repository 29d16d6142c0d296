import { randomUUID } from 'node:crypto';
import { deref, NormalizedSchema } from '@smithy/core/schema';
import type { SchemaRef, StaticOperationSchema } from '@smithy/types';
import { fromWire, mapFromWire, mapToWire, toWire } from './attribute-values.ts';

/** An operation of DynamoDB. */
export interface DynamoOperation {
  /** DynamoDB's name, such as `GetItem`. */
  name: string;
  schema: StaticOperationSchema;
  write: ShapeWriter;
  read: ShapeReader;
}

const operationsByCommand = new Map<unknown, DynamoOperation>();

/** The operation of a command of the document client. */
export function commandOperation(command: object): DynamoOperation {
  const found = operationsByCommand.get(command.constructor);
  if (found) return found;
  const { schema } = (command as { clientCommand: { schema: StaticOperationSchema } }).clientCommand;
  const [, , name, , input, output] = schema;
  const operation = {
    name,
    schema,
    write: createShapeWriter(deref(input)),
    read: createShapeReader(deref(output)),
  };
  operationsByCommand.set(command.constructor, operation);
  return operation;
}

type Convert = (value: never) => unknown;

/** How the attribute values within a shape are converted; the rest of it stays as it is. */
interface Direction {
  value: Convert;
  map: Convert;
  /** Writing gives members in the order of the schema, and a token to operations that have one. */
  isWriting: boolean;
}

const writing: Direction = { value: toWire as Convert, map: mapToWire as Convert, isWriting: true };
const reading: Direction = { value: fromWire as Convert, map: mapFromWire as Convert, isWriting: false };

/** From an operation's input in native values to the body of its request, as an object. */
const createShapeWriter = (schema: SchemaRef) =>
  createStructConverter(NormalizedSchema.of(schema), writing) as ShapeWriter;
type ShapeWriter = (input: object) => object;

/** From the body of a response, parsed, to the operation's output in native values. */
const createShapeReader = (schema: SchemaRef) =>
  createStructConverter(NormalizedSchema.of(schema), reading) as ShapeReader;
type ShapeReader = (body: object) => object;

/** @returns `undefined` for a shape that has no attribute values. */
function createConverter(schema: NormalizedSchema, direction: Direction): Convert | undefined {
  if (isAttributeValue(schema)) return direction.value;
  if (schema.isMapSchema()) return createMapConverter(schema.getValueSchema(), direction);
  if (schema.isListSchema()) {
    const convert = createConverter(schema.getValueSchema(), direction);
    return convert && ((list: readonly never[]) => list.map((each) => convert(each)));
  }
  if (!schema.isStructSchema()) return undefined;
  const hasValues = [...schema.structIterator()].some(([, member]) => createConverter(member, direction));
  return hasValues ? createStructConverter(schema, direction) : undefined;
}

const isAttributeValue = (schema: NormalizedSchema) =>
  schema.getName(true) === 'com.amazonaws.dynamodb#AttributeValue';

function createMapConverter(values: NormalizedSchema, direction: Direction): Convert | undefined {
  if (isAttributeValue(values)) return direction.map;
  const convert = createConverter(values, direction);
  return (
    convert &&
    ((map: Record<string, never>) =>
      Object.fromEntries(Object.entries(map).map(([name, value]) => [name, convert(value)])))
  );
}

function createStructConverter(schema: NormalizedSchema, direction: Direction): Convert {
  const members = Array.from(schema.structIterator(), ([name, member]) => ({
    name,
    convert: createConverter(member, direction),
    isToken: direction.isWriting && member.isIdempotencyToken(),
  }));
  return (source: Record<string, never>) => {
    const target: Record<string, unknown> = {};
    for (const { name, convert, isToken } of members) {
      const value = source[name] as never;
      if (value !== undefined && value !== null) target[name] = convert ? convert(value) : value;
      else if (isToken) target[name] = randomUUID();
    }
    return target;
  };
}
