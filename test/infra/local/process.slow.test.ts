import { once } from 'node:events';
import { existsSync, openSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { accountId } from '../../../infra/local/runtime/account.ts';
import { listen } from '../../../infra/local/runtime/server.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { newId } from '../../../shared/core/ids.ts';
import { generateKey } from '../../../shared/platform/auth/key-format.ts';
import { s3Fetch } from '../../support/data/s3.ts';
import {
  killAll,
  launch,
  launchMain,
  newDirectory,
  readStackFacts,
  start,
} from '../../support/stack/processes.ts';

const eventually = { timeout: 5_000, interval: 50 };

afterEach(killAll);

test('kill -9 leaves no server running, and the next start finds all data', async () => {
  const DATA_DIR = newDirectory();
  const first = await start({ DATA_DIR });
  await send(first.facts, 'kept');
  const secret = { Name: 'kept', SecretString: 'value' };
  await secretsOf(first.facts).send(new CreateSecretCommand(secret));
  const key = await createKey(first.facts);
  const object = `${first.facts.aws.s3}/payloads/kept`;
  expect((await s3Fetch(object, { method: 'PUT', body: 'bytes' })).status).toBe(200);
  first.child.kill('SIGKILL');
  await expectAllGone(first.facts);

  const second = await start({ DATA_DIR });
  expect(second.facts).toMatchObject({ liveKey: first.facts.liveKey, testKey: first.facts.testKey });
  expect(await statusWith(second.facts, second.facts.liveKey)).toBe(404);
  expect(await statusWith(second.facts, key)).toBe(404);
  const read = new GetSecretValueCommand({ SecretId: 'kept' });
  expect((await secretsOf(second.facts).send(read)).SecretString).toBe('value');
  expect(await receive(second.facts)).toEqual(['kept']);
  expect(await (await s3Fetch(`${second.facts.aws.s3}/payloads/kept`)).text()).toBe('bytes');
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s stops the process and all its servers, with exit code 0',
  async (signal) => {
    const { child, facts } = await start({ DATA_DIR: newDirectory() });
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
    await expectAllGone(facts);
  },
);

test('the process ends when the npm process that started it is killed', async () => {
  const npm = launch('npm', ['start', '--silent', '--', '--json', '--ephemeral'], {});
  const facts = await readStackFacts(npm);
  npm.kill('SIGKILL');
  await expectAllGone(facts);
});

test('idle connections up to the limit of open files do not end the process, or keep others out', async () => {
  const flags = 'npm start --silent -- --json --ephemeral';
  const child = launch('/bin/sh', ['-c', `ulimit -n 1024; exec ${flags}`], {});
  const { url, liveKey } = await readStackFacts(child);
  const idle = Array.from({ length: 1_100 }, () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
    return { socket, connected: once(socket, 'connect') };
  });
  onTestFinished(() => {
    for (const { socket } of idle) socket.destroy();
  });
  await Promise.all(idle.map(({ connected }) => connected));
  const headers = { authorization: `Bearer ${liveKey}` };
  expect((await fetch(`${url}/v1/flows`, { headers })).status).toBe(200);
  expect(child.exitCode).toBe(null);
});

test('a limit of open files that is too low is named', async () => {
  const child = launch('/bin/sh', ['-c', 'ulimit -n 200; exec npm start --silent -- --ephemeral'], {});
  const exit = once(child, 'exit');
  expect(await text(child.stderr as NodeJS.ReadableStream)).toContain('The limit of open files is 200, but');
  expect(await exit).toEqual([1, null]);
});

test('a full disk is reported before any data changes', async () => {
  const DATA_DIR = newDirectory();
  const first = await start({ DATA_DIR });
  first.child.kill('SIGKILL');
  await expectAllGone(first.facts);
  // As where a quota is used up: no file may grow beyond 512 KB.
  const command = `ulimit -f 512; exec "${process.execPath}" infra/local/main.ts --json`;
  const child = launch('sh', ['-c', command], { DATA_DIR });
  const [said, [code]] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'exit')]);
  expect(code).toBe(1);
  expect(said).toMatch(/^The data directory .* cannot be used: .* Free disk space/);
  const { facts } = await start({ DATA_DIR });
  expect(await statusWith(facts, facts.liveKey)).toBe(404);
});

test.skipIf(!existsSync('/dev/full'))('an unwritable log does not stop the process', async () => {
  const { facts } = await start({ DATA_DIR: newDirectory() }, [], openSync('/dev/full', 'w'));
  const { client } = queueOf(facts);
  const queue = { QueueUrl: `${facts.aws.sqs}/${accountId}/cleanup` };
  // The worker that takes it writes a line.
  await client.send(new SendMessageCommand({ ...queue, MessageBody: 'no JSON' }));
  const left = new GetQueueAttributesCommand({ ...queue, AttributeNames: ['All'] });
  await vi.waitFor(async () => {
    const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } =
      (await client.send(left)).Attributes ?? {};
    expect([ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible]).toEqual(['0', '0']);
  }, eventually);
  expect(await statusWith(facts, facts.liveKey)).toBe(404);
});

test('a second instance on the same data is refused with the first one’s process id; the first keeps running', async () => {
  const DATA_DIR = newDirectory();
  const { child, facts } = await start({ DATA_DIR });
  const message = await refusal({ DATA_DIR });
  expect(message).toContain(`process ${child.pid}`);
  expect(message).toContain(DATA_DIR);
  expect(await statusWith(facts, facts.liveKey)).toBe(404);
});

test('LOCAL_API_KEY sets the live key; a malformed key is refused', async () => {
  const LOCAL_API_KEY = generateKey('production');
  const { facts } = await start({ LOCAL_API_KEY }, ['--ephemeral']);
  expect(facts.liveKey).toBe(LOCAL_API_KEY);
  expect(await statusWith(facts, LOCAL_API_KEY)).toBe(404);
  expect(await refusal({ LOCAL_API_KEY: `${LOCAL_API_KEY}x` }, ['--ephemeral'])).toContain('LOCAL_API_KEY');
});

test('a start that fails explains the cause', async () => {
  const taken = createServer();
  const PORT = String(await listen(taken as never, 0, '127.0.0.1'));
  expect(await refusal({ PORT }, ['--ephemeral'])).toContain(`Port ${PORT} is in use`);
  taken.close();
  const file = join(newDirectory(), 'file');
  writeFileSync(file, '');
  expect(await refusal({ DATA_DIR: file })).toContain('cannot be used');
  const nothing = { PATH: '/nowhere', TABLE_ENGINE: 'dynamodb-local' };
  expect(await refusal(nothing, ['--ephemeral'])).toContain('Java');
  expect(await refusal({ PORT: 'x' })).toContain('PORT must be a number');
});

test('--help lists the options, and who misspells one is told of it', async () => {
  const child = launchMain({}, ['--help']);
  expect(await text(child.stdout as NonNullable<typeof child.stdout>)).toContain('npm start -- --ephemeral');
  expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(0);
  expect(await refusal({}, ['--ephemral'])).toMatch(/'--ephemral'.*npm start -- --help/);
});

/** What it says when it would not start. */
async function refusal(environment: Record<string, string>, flags: string[] = []): Promise<string> {
  const child = launchMain(environment, flags);
  const [said, printed, [code]] = await Promise.all([
    child.stderr ? text(child.stderr) : '',
    child.stdout ? text(child.stdout) : '',
    once(child, 'exit'),
  ]);
  expect({ code, printed }).toEqual({ code: 1, printed: '' });
  expect(said).not.toContain('    at ');
  return said;
}

async function expectAllGone({ url, aws }: StackFacts): Promise<void> {
  for (const endpoint of [url, ...Object.values(aws)]) {
    await vi.waitFor(async () => expect(await accepts(endpoint), endpoint).toBe(false), eventually);
  }
}

const accepts = (endpoint: string) =>
  new Promise<boolean>((resolve) => {
    const { port, hostname } = new URL(endpoint);
    const socket = connect(Number(port), hostname);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });

async function statusWith({ url }: StackFacts, credential: string): Promise<number> {
  const headers = { authorization: `Bearer ${credential}` };
  return (await fetch(`${url}/v1/flows/${newId('flow')}`, { headers })).status;
}

/** One that only the table knows. */
async function createKey({ url, sessionToken }: StackFacts): Promise<string> {
  const response = await fetch(`${url}/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sessionToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'kept' }),
  });
  return z.object({ plainKey: z.string() }).parse(await response.json()).plainKey;
}

const secretsOf = ({ aws }: StackFacts) => new SecretsManagerClient({ endpoint: aws.secretsManager });

/** A queue that no worker empties. */
const queueOf = ({ aws }: StackFacts) => ({
  client: new SQSClient({ endpoint: aws.sqs, useQueueUrlAsEndpoint: false }),
  QueueUrl: `${aws.sqs}/${accountId}/unattended`,
});

async function send(facts: StackFacts, MessageBody: string): Promise<void> {
  const { client, QueueUrl } = queueOf(facts);
  await client.send(new CreateQueueCommand({ QueueName: 'unattended' }));
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
}

async function receive(facts: StackFacts): Promise<(string | undefined)[]> {
  const { client, QueueUrl } = queueOf(facts);
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
  );
  return Messages.map(({ Body }) => Body);
}
