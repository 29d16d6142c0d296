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
    const later = await withGrants(lambdaRights('some', ['payloads']), async () => {
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
    import { GetCommand, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
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
    };
    const errors = {};
    for (const use of ['table:read', 'table:write', 'rate-limits', 'payloads']) {
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
    'table:read': [null, denied('PutItem'), denied('UpdateItem'), denied('UpdateItem')],
    'table:write': [null, null, null, null],
    'rate-limits': [denied('GetItem'), denied('PutItem'), null, denied('DeleteItem')],
    payloads: [denied('GetItem'), denied('PutItem'), denied('UpdateItem'), denied('UpdateItem')],
  });
});
