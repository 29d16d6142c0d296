import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { StartError } from '../../../infra/local/runtime/start-error.ts';
import { type StackFacts, startStack } from '../../../infra/local/stack.ts';
import { killAll, launchMain, newDirectory, readStackFacts, start } from '../../support/stack/processes.ts';

const sound = newDirectory();
const secretFiles = (directory: string) => readdirSync(join(directory, 'secrets'));
const secretsOf = ({ aws }: StackFacts) => new SecretsManagerClient({ endpoint: aws.secretsManager });

/** Files of secrets by their names. */
const fileOf: Record<string, string> = {};

beforeAll(async () => {
  const { child, facts } = await start({ DATA_DIR: sound });
  for (const Name of ['lost', 'kept']) {
    const before = secretFiles(sound);
    await secretsOf(facts).send(new CreateSecretCommand({ Name, SecretString: `hush ${Name}` }));
    fileOf[Name] = secretFiles(sound).find((file) => !before.includes(file)) ?? '';
  }
  await new SchedulerClient({ endpoint: facts.aws.scheduler }).send(
    new CreateScheduleCommand({
      Name: 'later',
      ScheduleExpression: 'at(2999-01-01T00:00:00)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { Arn: 'arn:aws:sqs:us-east-1:000000000000:plan', RoleArn: 'role' },
    }),
  );
  child.kill('SIGTERM');
  await once(child, 'exit');
});

afterEach(killAll);

function damagedCopy(damage: (directory: string) => void): string {
  const directory = newDirectory();
  cpSync(sound, directory, { recursive: true });
  damage(directory);
  return directory;
}

/** Why it would not start. */
async function refusal(dataDir: string): Promise<string> {
  const started = await startStack({ port: 0, dataDir }).catch((error) => error);
  if (!(started instanceof Error)) await started.stop();
  expect(started).toBeInstanceOf(StartError);
  const { message } = started as StartError;
  for (const secret of ['tv_live_', 'tv_test_', '"d"', 'hush']) expect(message).not.toContain(secret);
  return message;
}

const half = (file: string) => truncateSync(file, Math.floor(readFileSync(file).length / 2));
const empty = (file: string) => truncateSync(file, 0);
const garbage = (file: string) => writeFileSync(file, 'tv_live_x'.repeat(1_000));

const files = [
  'dynoxide.db',
  'fauxqs.db',
  'outbox.db',
  'vectors.db',
  'lock.db',
  'credentials.json',
  'oidc-key.json',
  'schedules.db',
  'secrets.key',
  'contents.json',
];

test.each(files.filter((name) => name !== 'lock.db'))(
  '%s truncated or emptied: the error names the file and what to do',
  async (name) => {
    for (const damage of [half, empty]) {
      const directory = damagedCopy((copy) => damage(join(copy, name)));
      const said = await refusal(directory);
      expect(said).toContain(join(directory, name));
      expect(said).toMatch(/Restore it from a backup, or (move|delete)/);
    }
  },
);

/** Pages after the first two: the beginning, with the schema, is as it was. */
function inTheMiddle(file: string): void {
  const descriptor = openSync(file, 'r+');
  const bytes = Math.min(8 * 4_096, statSync(file).size - 8_192);
  writeSync(descriptor, randomBytes(bytes), 0, bytes, 8_192);
  closeSync(descriptor);
}

test.each(['dynoxide.db', 'fauxqs.db', 'vectors.db'])(
  '%s damaged in the middle: a one-line error names the file and what to do',
  async (name) => {
    const directory = damagedCopy((copy) => inTheMiddle(join(copy, name)));
    const said = await refusal(directory);
    expect(said).toContain(join(directory, name));
    expect(said).toContain('malformed');
    expect(said).toContain('Restore it from a backup');
    expect(said).not.toContain('\n');
  },
);

test.each(files)('%s overwritten: the error names the file and what to do', async (name) => {
  const directory = damagedCopy((copy) => garbage(join(copy, name)));
  const said = await refusal(directory);
  expect(said).toContain(join(directory, name));
  expect(said).toMatch(/move|[Dd]elete/);
});

test('the process prints only that error and exits with code 1', async () => {
  const DATA_DIR = damagedCopy((copy) => garbage(join(copy, 'vectors.db')));
  const child = launchMain({ DATA_DIR }, []);
  const [said, printed, [code]] = await Promise.all([
    child.stderr ? text(child.stderr) : '',
    child.stdout ? text(child.stdout) : '',
    once(child, 'exit'),
  ]);
  expect({ code, printed }).toEqual({ code: 1, printed: '' });
  expect(said.trim().split('\n')).toEqual([expect.stringContaining(join(DATA_DIR, 'vectors.db'))]);
});

test('after the damaged file is moved away, the process starts with --accept-loss and names the missing file', async () => {
  const DATA_DIR = damagedCopy((copy) => rmSync(join(copy, 'outbox.db')));
  const child = launchMain({ DATA_DIR, LOG_LEVEL: 'warn' }, ['--accept-loss']);
  const said = child.stderr ? text(child.stderr) : '';
  await readStackFacts(child);
  child.kill('SIGTERM');
  expect(await said).toContain(join(DATA_DIR, 'outbox.db'));
});

test('without the secrets key file the process refuses to start and does not create a new key', async () => {
  const directory = damagedCopy((copy) => rmSync(join(copy, 'secrets.key')));
  expect(await refusal(directory)).toContain(join(directory, 'secrets.key'));
  expect(existsSync(join(directory, 'secrets.key'))).toBe(false);
});

test.each([
  ['emptied', empty],
  ['cut in half', half],
  ['overwritten', garbage],
])(
  'one secret’s file %s: all other secrets remain readable, and the start names the file',
  async (_, damage) => {
    const DATA_DIR = damagedCopy((copy) => damage(join(copy, 'secrets', fileOf.lost ?? '')));
    const child = launchMain({ DATA_DIR, LOG_LEVEL: 'warn' }, []);
    const said = child.stderr ? text(child.stderr) : '';
    const facts = await readStackFacts(child);
    const read = (SecretId: string) => secretsOf(facts).send(new GetSecretValueCommand({ SecretId }));
    expect((await read('kept')).SecretString).toBe('hush kept');
    await expect(read('lost')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    child.kill('SIGTERM');
    expect(await said).toContain(join(DATA_DIR, 'secrets', fileOf.lost ?? ''));
    expect((await said).trim().split('\n')).toHaveLength(1);
  },
);
