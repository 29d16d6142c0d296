import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';

/** As DynamoDB's JSON has an attribute value: binary is base64. */
export type WireValue = Record<string, unknown>;

const options = { removeUndefinedValues: true };

/**
 * A value as the SDK's `marshall` with `removeUndefinedValues` converts it, in the form of DynamoDB's JSON.
 * @throws as `marshall`, for what has no form, such as NaN and instances of classes.
 */
export function toWire(value: unknown): WireValue {
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'boolean':
      return { BOOL: value };
    case 'number':
      return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
        ? { N: String(value) }
        : convertRareToWire(value);
    case 'object':
      if (value === null) return { NULL: true };
      if (Array.isArray(value)) return { L: listToWire(value) };
      return isPlain(value) ? { M: mapToWire(value) } : convertRareToWire(value);
    default:
      return convertRareToWire(value);
  }
}

/** The attributes of an item, or the members of a map. Leaves out functions and `undefined`. */
export function mapToWire(map: object): Record<string, WireValue> {
  const wire: Record<string, WireValue> = {};
  for (const name in map) {
    const value = map[name as keyof typeof map] as unknown;
    if (value !== undefined && typeof value !== 'function') wire[name] = toWire(value);
  }
  return wire;
}

const listToWire = (list: readonly unknown[]): WireValue[] =>
  list.filter((value) => value !== undefined && typeof value !== 'function').map(toWire);

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Sets, binary, large numbers, and what is refused: through the SDK. */
const convertRareToWire = (value: unknown): WireValue =>
  toWireValue(convertToAttr(value as Parameters<typeof convertToAttr>[0], options));

/** DynamoDB's JSON of a value of the SDK. */
export const toWireValue = (value: AttributeValue): WireValue =>
  convertBinary(value, (bytes: Uint8Array) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  );

/** A value as the SDK's `unmarshall` converts it. May reuse what it is given. */
export function fromWire(wire: WireValue): unknown {
  for (const kind in wire) {
    const value = wire[kind];
    switch (kind) {
      case 'S':
      case 'BOOL':
        return value;
      case 'N': {
        const number = Number(value);
        return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : convertRareFromWire(wire);
      }
      case 'NULL':
        return null;
      case 'M':
        return mapFromWire(value as Record<string, WireValue>);
      case 'L':
        return (value as WireValue[]).map(fromWire);
      default:
        return convertRareFromWire(wire);
    }
  }
  return convertRareFromWire(wire);
}

export function mapFromWire(wire: Record<string, WireValue>): Record<string, unknown> {
  const map: Record<string, unknown> = {};
  for (const name in wire) map[name] = fromWire(wire[name] as WireValue);
  return map;
}

const convertRareFromWire = (wire: WireValue): unknown => convertToNative(fromWireValue(wire));

/** The value of the SDK that has this JSON. */
export const fromWireValue = (wire: WireValue): AttributeValue =>
  convertBinary(wire, (text: string) => Buffer.from(text, 'base64')) as unknown as AttributeValue;

function convertBinary<Bytes>(value: object, convert: (bytes: Bytes) => unknown): WireValue {
  const { B, BS, L, M, ...rest } = value as {
    B?: Bytes;
    BS?: Bytes[];
    L?: object[];
    M?: Record<string, object>;
  };
  return {
    ...rest,
    ...(B !== undefined && { B: convert(B) }),
    ...(BS && { BS: BS.map(convert) }),
    ...(L && { L: L.map((each) => convertBinary(each, convert)) }),
    ...(M && {
      M: Object.fromEntries(Object.entries(M).map(([name, each]) => [name, convertBinary(each, convert)])),
    }),
  };
}
