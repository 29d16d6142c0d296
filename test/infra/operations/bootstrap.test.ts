import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operatorAccount } from '../../support/stack/operator-account.ts';
import { runCommand } from '../../support/stack/run-command.ts';
import { callerWith, newTenant, stack } from '../../support/stack/stack.ts';

let account: Awaited<ReturnType<typeof operatorAccount>>;
let withOwnIssuer: Awaited<ReturnType<typeof operatorAccount>>;
beforeAll(async () => {
  const outputs = { Url: `${stack().url}/`, TableName: 'agent-flow-service', PayloadBucket: 'payloads' };
  account = await operatorAccount({ outputs: { ...outputs, UserPoolId: 'us-east-1_pool' } });
  withOwnIssuer = await operatorAccount({ outputs });
});
afterAll(() => {
  account.close();
  withOwnIssuer.close();
});

const bootstrap = (args: readonly string[], { env } = account) =>
  runCommand('infra/operations/bootstrap.ts', args, env);
const newEmail = () => `${randomUUID()}@example.com`;

test('one command creates the first user and a key that works, for the tenant of the user’s sessions', async () => {
  const email = newEmail();
  const organization = `org-${randomUUID()}`;
  const { code, stdout, stderr } = await bootstrap([
    '-c',
    'env=dev',
    '--email',
    email,
    '--organization',
    organization,
  ]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`User ${email} of the organization`)]);
  expect(stdout).toMatch(/^tv_live_\w+\n$/);
  expect(account.users.get(email)).toMatchObject({ 'custom:organizationId': organization });

  const callWithKey = callerWith(stdout.trim());
  const created = await callWithKey('POST', '/v1/flows', { body: { name: 'first', flowSteps: [] } });
  expect(created).toMatchObject({ status: 201, body: { organizationId: organization } });
  const userId = account.users.get(email)?.sub ?? '';
  const session = await newTenant({ userId, organizationId: organization });
  expect((await session.call('GET', `/v1/flows/${created.body.id}`)).status).toBe(200);
  expect((await session.call('GET', '/v1/api-keys')).body.apiKeys).toMatchObject([
    { name: 'first', permissions: ['FLOWS:*', 'RECORDS:*'] },
  ]);
});

test('a second run for the same user creates a further key', async () => {
  const email = newEmail();
  await bootstrap(['-c', 'env=dev', '--email', email]);
  const again = await bootstrap([
    '-c',
    'env=dev',
    '--email',
    email,
    '--name',
    'ci',
    '--permissions',
    'FLOWS:READ',
  ]);
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('exists already')]);
  const created = await callerWith(again.stdout.trim())('POST', '/v1/flows', {
    body: { name: 'x', flowSteps: [] },
  });
  expect(created.status).toBe(403);
});

test('a user of another organization is not moved', async () => {
  const email = newEmail();
  await bootstrap(['-c', 'env=dev', '--email', email, '--organization', 'a']);
  const { code, stdout, stderr } = await bootstrap([
    '-c',
    'env=dev',
    '--email',
    email,
    '--organization',
    'b',
  ]);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('belongs to the organization a')]);
});

test('with another issuer, the user is named by the claim sub', async () => {
  const userId = `user-${randomUUID()}`;
  const { stdout } = await bootstrap(['-c', 'env=dev', '--user', userId], withOwnIssuer);
  const created = await callerWith(stdout.trim())('POST', '/v1/flows', {
    body: { name: 'x', flowSteps: [] },
  });
  expect(created).toMatchObject({ status: 201, body: { userId, organizationId: null } });
  const { code, stderr } = await bootstrap(['-c', 'env=dev', '--email', newEmail()], withOwnIssuer);
  expect([code, stderr]).toEqual([1, expect.stringContaining('--user <sub>')]);
});

test.each([
  ['no environment', ['--email', 'a@example.com'], 'Name the environment: -c env=dev'],
  ['an unknown environment', ['-c', 'env=qa', '--email', 'a@example.com'], 'Name the environment'],
  ['neither email nor user', ['-c', 'env=dev'], 'Give --email or --user'],
  ['an unknown option', ['-c', 'env=dev', '--mail', 'a@example.com'], "Unknown option '--mail'"],
  [
    'a stack that is not there',
    ['-c', 'env=prod', '--user', 'u'],
    'There is no stack AgentFlowService-prod in us-east-1',
  ],
  [
    'an unknown permission',
    ['-c', 'env=dev', '--user', 'u', '--permissions', 'FLOW'],
    'The key was not created',
  ],
])('%s: the command says what to do and prints no key', async (_, args, message) => {
  const { code, stdout, stderr } = await bootstrap(args);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
});
