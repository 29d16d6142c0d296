import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '../../../shared/core/concurrency/map-concurrently.ts';
import { S3Error } from '../../../shared/platform/aws/s3.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { readTenant, type StoredKey } from '../../../shared/platform/data/keys.ts';
import { payloadReader } from '../../../shared/platform/data/payloads.ts';
import { pointersIn } from './pointers.ts';

export interface TableCheck {
  /** The number of items of each kind. `other` are counters, which an update creates. */
  items: Record<string, number>;
  /** The number of payload objects that items name. */
  pointers: number;
  /** Names of objects that are not in the bucket. */
  missing: string[];
  /** Names of objects that are not what the service stores. */
  unreadable: string[];
  /** The number of API keys that the authorizer finds. */
  keys: number;
  /** Ids of API keys without a credential, and of credentials without a key. */
  unpairedKeys: string[];
}

/** A stored item, of any kind. */
export type TableItem = StoredKey & Record<string, unknown>;

/** Payloads that are read at a time: together up to some 100 MB. */
const concurrency = 10;

/** All items of a table, a page at a time. Reads the whole table. */
async function* itemsOf(TableName: string): AsyncGenerator<TableItem[]> {
  const client = documentClient(new DynamoDBClient({}));
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) yield Items as TableItem[];
}

/**
 * Checks that what the items of a table name exists: payloads in the bucket (`PAYLOAD_BUCKET`), keys and their
 * credentials. Only reads. @param recover Called for an object that is missing. @returns whether it is there now.
 */
export async function checkTable(
  TableName: string,
  recover: (pointer: string) => Promise<boolean> = async () => false,
): Promise<TableCheck> {
  const check: TableCheck = {
    items: {},
    pointers: 0,
    missing: [],
    unreadable: [],
    keys: 0,
    unpairedKeys: [],
  };
  const paired = new Map<string, TableItem[]>();
  for await (const items of itemsOf(TableName)) {
    const named = new Set<string>();
    for (const item of items) {
      const type = String(item._type ?? 'other');
      check.items[type] = (check.items[type] ?? 0) + 1;
      if (type === 'apiKey' || type === 'credential')
        paired.set(String(item.hash), [...(paired.get(String(item.hash)) ?? []), item]);
      for (const pointer of pointersIn(item, readTenant(item))) named.add(pointer);
    }
    check.pointers += named.size;
    await forEachConcurrently(named, concurrency, async (pointer) => {
      const state = await stateOf(pointer);
      if (state === 'unreadable') check.unreadable.push(pointer);
      if (state === 'missing' && !(await recover(pointer))) check.missing.push(pointer);
    });
  }
  for (const pair of paired.values()) {
    if (pair.length === 2) check.keys++;
    else check.unpairedKeys.push(...pair.map(({ keyId, id }) => String(keyId ?? id)));
  }
  return check;
}

/** Reads an object as the service does. */
async function stateOf(pointer: string): Promise<'readable' | 'missing' | 'unreadable'> {
  try {
    await payloadReader({}).fetch({ pointer, bytes: 0 });
    return 'readable';
  } catch (error) {
    if (error instanceof S3Error && error.status === 404) return 'missing';
    if (error instanceof S3Error || !isDamage(error)) throw error;
    return 'unreadable';
  }
}

const isDamage = (error: unknown) =>
  error instanceof SyntaxError || String((error as NodeJS.ErrnoException).code).startsWith('Z_');

/** What is wrong, a sentence for each; empty if nothing is. */
export const tableProblems = ({ missing, unreadable, unpairedKeys }: TableCheck): string[] =>
  [
    [missing, 'objects are not in the bucket'],
    [unreadable, 'objects cannot be unpacked'],
    [unpairedKeys, 'API keys have no credential, or credentials no key'],
  ].flatMap(([names, what]) => (names && names.length > 0 ? [`${names.length} ${what}`] : []));
