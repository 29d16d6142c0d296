import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test } from 'vitest';
import { credentials, region } from '../../../infra/local/runtime/account.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { createClient } from '../../../packages/client/src/client.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { childProcessIds, killAll, newDirectory, start } from '../../support/stack/processes.ts';

afterEach(killAll);

/** Three times five deliveries, and 15 and 60 minutes between them: docs/runbook.md#dead-letters-runs. */
const documentedMinutes = 3 * 21 + 15 + 60;
/** The clock moves by whole minutes, so each of the fifteen deliveries and of the two timers may be a minute late. */
const lateMinutes = 17;

/** A stack whose clock the test moves. */
async function startMovable() {
  const preload = new URL('../../support/stack/moved-clock.ts', import.meta.url);
  const environment = { DATA_DIR: newDirectory(), NODE_OPTIONS: `--import=${preload.href}` };
  const { child, facts } = await start({ ...environment, RATE_LIMIT_PER_HOUR: '100000' });
  const passMinute = () => {
    for (const pid of [child.pid ?? 0, ...childProcessIds(child, 'queue-server')])
      process.kill(pid, 'SIGUSR2');
  };
  return { facts, passMinute };
}

/** As an item may be that another release has written: whatever reads it throws. */
async function makeUnreadable({ aws, table: TableName }: StackFacts, id: string): Promise<void> {
  const client = documentClient(new DynamoDBClient({ endpoint: aws.dynamodb, region, credentials }));
  const FilterExpression = 'contains(PK, :id) AND SK = :sk';
  const { Items = [] } = await client.send(
    new ScanCommand({
      TableName,
      FilterExpression,
      ExpressionAttributeValues: { ':id': id, ':sk': 'RECORD' },
    }),
  );
  expect(Items).toMatchObject([{ metadata: expect.any(String) }]);
  await client.send(new PutCommand({ TableName, Item: { ...Items[0], metadata: 'unreadable' } }));
}

test('a batch with a record whose message fails each time ends in the documented time, with that record failed', async () => {
  const { facts, passMinute } = await startMovable();
  const { call } = createClient({ baseUrl: facts.url, apiKey: facts.liveKey });
  const flowSteps = [{ type: 'template' as const, name: 'greet', config: { template: 'Hello {{name}}' } }];
  const flow = await call('flows.create', { body: { name: 'Greetings', flowSteps } });
  await call('flows.publish', { params: { id: flow.id } });
  const rows = Array.from({ length: 20 }, (_, n) => `record ${n}`);
  const file = new File([`name\n${rows.join('\n')}\n`], 'records.csv');
  await call('records.upload-csv', { body: { file, nameColumn: 'name', typeValue: 'thing' } });
  const { data } = await call('records.list', { query: { type: 'thing', limit: 20 } });
  const { id = '' } = data.find(({ name }) => name === 'record 7') ?? {};
  await makeUnreadable(facts, id);
  const { batchId } = await call('flows.run-on-record-type', {
    params: { id: flow.id },
    body: { recordType: 'thing', options: { recordConcurrency: 20 } },
  });
  const status = () => call('batches.status', { params: { id: batchId } });
  await eventually(async () => expect((await status()).processedRecords).toBe(19));
  let minutes = 0;
  for (; (await status()).status === 'running' && minutes < documentedMinutes + lateMinutes; minutes++) {
    passMinute();
    // What is due then happens, as long as there is something: a delivery takes a few ms.
    await sleep(300);
  }
  expect(await status()).toMatchObject({ status: 'completed', processedRecords: 20, failedRecords: 1 });
  // Not before it has been tried again, twice.
  expect(minutes).toBeGreaterThan(15 + 60);
}, 300_000);
