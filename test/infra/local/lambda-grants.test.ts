import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Runs a script in a process of its own, since rights are enforced for a whole process. */
const run = (script: string) =>
  JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
      env: { ...process.env, TABLE_NAME: 'table', PAYLOAD_BUCKET: 'bucket', OTHER: 'other' },
    }),
  );

test('a Lambda sees only the service variables of its own uses, plus all other variables', () => {
  const seen = run(`
    import { enforceGrants, lambdaRights, withGrants } from './infra/local/runtime/lambda-grants.ts';
    enforceGrants();
    const read = () => [process.env.TABLE_NAME, process.env.PAYLOAD_BUCKET, process.env.OTHER];
    const later = await withGrants(lambdaRights('some', ['payloads:read']), async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return read();
    });
    process.env.OTHER = 'changed';
    console.log(JSON.stringify({ outside: read(), reading: withGrants(lambdaRights('one', ['table:read']), read), later }));`);
  expect(seen).toEqual({
    outside: ['table', 'bucket', 'changed'],
    reading: ['table', null, 'changed'],
    later: [null, 'bucket', 'other'],
  });
});

test('a Lambda can run only the table operations that its uses allow, including in transactions', () => {
  const errors = run(`
    import { BatchWriteCommand, GetCommand, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
    import { enforceGrants, lambdaRights, withGrants } from './infra/local/runtime/lambda-grants.ts';
    import { documentClient } from './shared/platform/data/client.ts';
    enforceGrants();
    const client = documentClient();
    client.middlewareStack.add(() => async () => ({ output: {} }), { step: 'initialize' });
    const item = { TableName: 'table', Key: { PK: 'a', SK: 'b' }, Item: { PK: 'a', SK: 'b' } };
    const commands = {
      get: new GetCommand(item),
      put: new PutCommand(item),
      update: new UpdateCommand(item),
      transaction: new TransactWriteCommand({ TransactItems: [{ Update: item }, { Delete: item }] }),
      batch: new BatchWriteCommand({ RequestItems: { table: [{ DeleteRequest: { Key: item.Key } }] } }),
    };
    const errors = {};
    for (const use of ['table:read', 'table:write', 'table:delete', 'rate-limits', 'payloads:delete']) {
      errors[use] = [];
      for (const command of Object.values(commands)) {
        await withGrants(lambdaRights('some/lambda', [use]), async () => client.send(command)).then(
          () => errors[use].push(null),
          ({ message }) => errors[use].push(message.split(':').slice(0, 2).join(':')),
        );
      }
    }
    console.log(JSON.stringify(errors));`);
  const denied = (action: string) => `some/lambda may not dynamodb:${action}`;
  expect(errors).toEqual({
    'table:read': [null, ...['PutItem', 'UpdateItem', 'UpdateItem', 'BatchWriteItem'].map(denied)],
    'table:write': [null, null, null, denied('DeleteItem'), denied('BatchWriteItem')],
    'table:delete': [...['GetItem', 'PutItem', 'UpdateItem', 'UpdateItem'].map(denied), null],
    'rate-limits': [
      ...['GetItem', 'PutItem'].map(denied),
      null,
      ...['DeleteItem', 'BatchWriteItem'].map(denied),
    ],
    'payloads:delete': ['GetItem', 'PutItem', 'UpdateItem', 'UpdateItem', 'BatchWriteItem'].map(denied),
  });
});

test('a Lambda can read, write, delete and list payloads only as its uses allow, and what it tried stays known', () => {
  const seen = run(`
    process.env.AWS_ENDPOINT_URL_S3 = 'http://s3';
    Object.assign(process.env, { AWS_REGION: 'r', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' });
    globalThis.fetch = async () => new Response('');
    const { deniedActions, enforceGrants, lambdaRights, withGrants } = await import('./infra/local/runtime/lambda-grants.ts');
    const { requestS3 } = await import('./shared/platform/aws/s3.ts');
    enforceGrants();
    const allowed = {};
    for (const use of ['payloads:read', 'payloads:write', 'payloads:delete', 'payloads:list', 'assets']) {
      const tried = { GET: [], PUT: [], DELETE: [], list: [{ query: new URLSearchParams({ 'list-type': '2' }) }] };
      allowed[use] = [];
      for (const [name, [options]] of Object.entries(tried)) {
        const send = () => requestS3('payloads', options ? 'GET' : name, options ? '' : 'key', options);
        await withGrants(lambdaRights('some/lambda', [use]), send).then(() => allowed[use].push(name), () => {});
      }
    }
    await withGrants(lambdaRights('other', []), () => requestS3('assets', 'GET', 'key'));
    console.log(JSON.stringify({ allowed, denied: deniedActions() }));`);
  expect(seen.allowed).toEqual({
    'payloads:read': ['GET'],
    'payloads:write': ['PUT'],
    'payloads:delete': ['DELETE'],
    'payloads:list': ['list'],
    assets: [],
  });
  const reason = 'none of its factories states a use for it';
  expect(seen.denied.toSorted()).toEqual(
    ['DeleteObject', 'GetObject', 'ListBucket', 'PutObject'].map(
      (action) => `some/lambda may not s3:${action}: ${reason}`,
    ),
  );
});

test('a Lambda of a group that deletes nothing cannot delete, one that does can', () => {
  const errors = run(`
    import { entries } from './infra/aws/conventions/entries.ts';
    import { enforceGrants, lambdaRights, withGrants } from './infra/local/runtime/lambda-grants.ts';
    import { documentClient } from './shared/platform/data/client.ts';
    import { tenantTable } from './shared/platform/data/table.ts';
    enforceGrants();
    const client = documentClient();
    client.middlewareStack.add(() => async () => ({ output: {} }), { step: 'initialize' });
    const table = tenantTable(client, 'table', 'tenant');
    const errors = {};
    for (const id of ['agent-executions.list', 'run-waits.answer', 'api-mcp.serve', 'flows.delete']) {
      const { uses } = entries.find((entry) => entry.id === id);
      const removed = withGrants(lambdaRights(id, uses), () => table.commit([{ Delete: { Key: { PK: 'a', SK: 'b' } } }]));
      errors[id] = await removed.then(() => null, ({ message }) => message.split(':').slice(0, 2).join(':'));
    }
    console.log(JSON.stringify(errors));`);
  const denied = (id: string) => [id, `${id} may not dynamodb:DeleteItem`];
  expect(errors).toEqual({
    ...Object.fromEntries(['agent-executions.list', 'run-waits.answer', 'api-mcp.serve'].map(denied)),
    'flows.delete': null,
  });
});
