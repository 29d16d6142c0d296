import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { ApiError, createClient } from '../../../packages/client/src/client.ts';
import { secretEntity } from '../../../shared/domain/secrets/secret.ts';
import { secretReader } from '../../../shared/domain/secrets/secret-vault.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { tenantTable } from '../../../shared/platform/data/table.ts';
import { toTenant } from '../../../shared/platform/identity/principal.ts';
import { localUser } from '../../local/credentials.ts';
import type { StackFacts } from '../../local/stack.ts';
import { OperationError } from '../deployment/operation.ts';
import { objectExists } from './backup.ts';

/** The ids of what the drill creates, changes and deletes. */
export const DrillData = z.object({
  flow: z.string(),
  records: z.array(z.string()),
  secret: z.string(),
  testKey: z.object({ id: z.string(), value: z.string() }),
});
export type DrillData = z.infer<typeof DrillData>;

const clientsOf = ({ url, liveKey, sessionToken }: StackFacts) => ({
  ...createClient({ baseUrl: url, apiKey: liveKey }),
  session: createClient({ baseUrl: url, apiKey: sessionToken }).call,
});

const secretKey = 'DRILL';
export const firstValue = 'the first value';

/** Enough that a restore takes several requests. */
const recordCount = 300;

/** A flow with two versions, its runs with outputs that are too large for an item, records, a secret and a test key. */
export async function createData(facts: StackFacts): Promise<DrillData> {
  const { call, session } = clientsOf(facts);
  for (const [type, count] of [
    ['few', 4],
    ['many', recordCount],
  ] as const) {
    const rows = Array.from({ length: count }, (_, n) => `${type} ${n},${n}`);
    const file = new File([`name,n\n${rows.join('\n')}\n`], 'records.csv');
    await call('records.upload-csv', { body: { file, nameColumn: 'name', typeValue: type } });
  }
  const script = "Array.from({ length: 30000 }, (_, n) => n + ' of ' + input._record.name)";
  const large = { type: 'transform-data' as const, name: 'Large', config: { script } };
  const flow = await call('flows.create', { body: { name: 'Drill', flowSteps: [large] } });
  const params = { id: flow.id };
  await call('flows.publish', { params });
  await call('flows.run-on-record-type', { params, body: { recordType: 'few' } });
  const secret = await call('secrets.create', { body: { key: secretKey, value: firstValue } });
  const body = { name: 'Drill', environment: 'test' as const };
  const { apiKey, plainKey } = await session('api-keys.create', { body });
  const { data } = await call('records.list', { query: { limit: 100, type: 'few' } });
  return {
    flow: flow.id,
    records: data.map(({ id }) => id),
    secret: secret.data.id,
    testKey: { id: apiKey.id, value: plainKey },
  };
}

/** What the API returns of it, by request. Nothing of it changes by reading. */
export async function readData(facts: StackFacts, { flow, records, testKey }: DrillData) {
  const { call, session } = clientsOf(facts);
  const params = { id: flow };
  const read: Record<string, unknown> = {
    flows: await call('flows.list'),
    versions: await call('flow-versions.list', { params: { flowId: flow } }),
    'step results': await call('flows.step-results', { params }),
    secrets: await call('secrets.list'),
    records: await call('records.list', { query: { limit: 100 } }),
    'test key': (await session('api-keys.reveal', { params: { id: testKey.id } })).key,
  };
  for (const id of records) {
    read[`record ${id}`] = await call('records.get', { params: { id } });
    read[`results of ${id}`] = await call('records.results', { params: { id } });
  }
  return read;
}

/** The value that a run would use, from the version in Secrets Manager that the restored item names. */
export async function secretValueIn(TableName: string): Promise<string | undefined> {
  const table = tenantTable(documentClient(new DynamoDBClient({})), TableName, toTenant(localUser, null));
  const { id, valueId } = (await table.get(secretEntity, { key: secretKey })) ?? {};
  return id && valueId ? secretReader({ table }).read(id, valueId) : undefined;
}

/**
 * Changes and deletes after the backup, until the payloads of the flow are gone. Idempotent.
 * @param pointers The names of all payloads of the backup.
 */
export async function changeData(
  facts: StackFacts,
  { flow, records: [first = '', second = ''], secret, testKey }: DrillData,
  pointers: readonly string[],
): Promise<void> {
  const { call, session } = clientsOf(facts);
  await call('flows.delete', { params: { id: flow } }).catch(ifGone);
  await call('records.delete', { params: { id: first } }).catch(ifGone);
  await call('records.update', { params: { id: second }, body: { metadata: { n: 'changed' } } });
  await call('secrets.update', { params: { id: secret }, body: { value: 'another value' } });
  await session('api-keys.delete', { params: { id: testKey.id } }).catch(ifGone);
  await call('flows.create', { body: { name: 'After the moment', flowSteps: [] } });
  for (let look = 0; look < 300; look++) {
    const left = await Promise.all(pointers.map(objectExists));
    if (!left.includes(true)) return;
    await sleep(200);
  }
  throw new OperationError('The payloads of the deleted flow were not removed within a minute.');
}

function ifGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
