import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { stackName } from '../../../infra/aws/conventions/names.ts';
import { parseSettings } from '../../../infra/aws/conventions/settings.ts';
import { environments } from '../../../infra/environments.ts';
import { findDeployment } from '../../../infra/operations/deployment/deployment.ts';
import { type CheckResult, runChecks } from '../../../infra/operations/doctor/check.ts';
import { deploymentChecks } from '../../../infra/operations/doctor/deployment-checks.ts';
import { listStackResources } from '../../../infra/operations/doctor/resources.ts';
import { workersMax } from '../../../infra/resources.ts';
import { runCommand } from '../../support/stack/run-command.ts';
import {
  type Answers,
  accountSettings,
  backups,
  deployedAccount,
  deployedResources,
  depth,
  keyState,
  mapping,
  secretResponse,
} from './healthy-deployment.ts';

let resources: ReturnType<typeof deployedResources>;
beforeAll(() => {
  resources = deployedResources();
}, 60_000);

type Options = Parameters<typeof deployedAccount>[2];

/** An account that lasts as long as its test. */
async function accountWith(changes: Answers = {}, options: Options = {}) {
  const account = await deployedAccount(resources, changes, options);
  onTestFinished(() => void account.close());
  return account;
}

const doctor = async (args: readonly string[], changes?: Answers) =>
  runCommand('infra/operations/doctor.ts', args, (await accountWith(changes)).env);

/** The results of some checks of dev, in this process: a command takes half a second of processor time. */
async function resultsOf(
  ids: readonly string[],
  changes: Answers,
  options: Options = {},
  context: Record<string, string> = {},
) {
  const { env } = await accountWith(changes, options);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const checks = deploymentChecks.filter(({ id }) => ids.includes(id));
  return runChecks(checks, {
    deployment: await findDeployment('dev'),
    settings: parseSettings({ env: 'dev', ...context }),
    resources: await listStackResources(stackName('dev')),
  });
}

async function checked(id: string, ...given: Tail<Parameters<typeof resultsOf>>): Promise<CheckResult> {
  const [result] = await resultsOf([id], ...given);
  if (!result) throw new Error(`No check ${id}`);
  return result;
}
type Tail<T extends unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never;

test('a healthy deployment passes every check, and ends with 0', async () => {
  const { code, stdout, stderr } = await doctor([
    '-c',
    'env=dev',
    '-c',
    'sesIdentities=example.com',
    '--json',
  ]);
  const results = JSON.parse(stdout) as CheckResult[];
  expect(results.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(results.map(({ id }) => id)).toEqual(deploymentChecks.map(({ id }) => id));
  expect([code, stderr]).toEqual([0, expect.stringContaining('Deployment dev in us-east-1')]);
});

test('the report has a line per check, and below a problem what to do; a problem ends with 1', async () => {
  const { code, stdout } = await doctor(['-c', 'env=dev'], {
    DescribeKey: () => keyState('PendingDeletion'),
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^✓ Stack {2,}CREATE_COMPLETE in us-east-1$/m);
  expect(stdout).toMatch(
    /^✗ KMS key of test keys {2,}\w+ is PendingDeletion\n {2,}→ aws kms cancel-key-deletion/m,
  );
  expect(stdout).toMatch(/\d+ checks: 1 problem, 0 warnings\n$/);
});

const noBackups: Answers = { DescribeContinuousBackups: () => backups('DISABLED') };

test.each<[what: string, id: string, status: string, Answers, message: RegExp]>([
  ['a table without point-in-time recovery', 'table', 'problem', noBackups, /no point-in-time recovery$/],
  [
    'a table without time to live',
    'table',
    'problem',
    { DescribeTimeToLive: () => [200, { TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } }] },
    /no time to live by ttl/,
  ],
  [
    'an index of vectors of an old bucket',
    'vectors',
    'warning',
    { '/GetIndex': () => [200, { index: { indexMode: 'CLASSIC' } }] },
    /^1 indexes apply filters during the search/,
  ],
  [
    'a secret that is no JSON',
    'provider-keys',
    'problem',
    { GetSecretValue: () => secretResponse('sk-value-of-the-key') },
    /no JSON object/,
  ],
  [
    'a secret without keys',
    'provider-keys',
    'warning',
    { GetSecretValue: () => secretResponse('{}') },
    /^None/,
  ],
  [
    'messages in dead-letter queues',
    'dead-letters',
    'problem',
    { GetQueueAttributes: () => depth(2) },
    /plan 2, runs 2, wakes 2, agents 2, schedules 2, deliveries 2, telemetry 2, cleanup 2/,
  ],
  [
    'a message that waits too long',
    'queues',
    'problem',
    { GetMetricData: () => [200, { MetricDataResults: [{ Id: 'q0', Values: [3_600, 1] }] }] },
    /plan 0 waiting, 0 in flight, oldest 60 min;/,
  ],
  [
    'a sounding alarm',
    'alarms',
    'problem',
    {
      DescribeAlarms: () => [
        200,
        {
          MetricAlarms: [
            { StateValue: 'OK', AlarmDescription: 'Fine' },
            { StateValue: 'ALARM', AlarmDescription: 'Bad. Runbook: docs/runbook.md#api-errors' },
          ],
        },
      ],
    },
    /^1 of 2 sound$/,
  ],
  [
    'a new account',
    'concurrency',
    'warning',
    { '/2016-08-19/account-settings': () => accountSettings(10) },
    /^10: the workers take at most \d{3}/,
  ],
  [
    'an account whose workers leave less than 200 for requests',
    'concurrency',
    'warning',
    { '/2016-08-19/account-settings': () => accountSettings(workersMax('dev') + 199) },
    /while they do, requests have 199 and are throttled beyond$/,
  ],
  [
    'code storage that is nearly full',
    'code-storage',
    'warning',
    { '/2016-08-19/account-settings': () => accountSettings(1_000, 70) },
    /^70.0 of 75.0 GB$/,
  ],
  [
    'a missing permission',
    'key',
    'warning',
    { DescribeKey: () => [400, { __type: 'AccessDeniedException', message: 'not authorized' }] },
    /^Not checked: not authorized/,
  ],
])('%s: the check "%s" is a %s', async (_, id, status, changes, message) => {
  const result = await checked(id, changes);
  expect(result).toMatchObject({
    status,
    message: expect.stringMatching(message),
    advice: expect.any(String),
  });
  expect(JSON.stringify(result)).not.toContain('sk-value');
});

test.each(['dev', 'staging', 'prod'] as const)(
  'in %s, the workers leave at least 300 of the default quota of 1,000 for requests',
  (environment) => {
    const left = 1_000 - environments[environment].authorizersReserved - workersMax(environment);
    expect(left).toBeGreaterThanOrEqual(300);
  },
);

test('a new account is told by how much to raise its quota; workers on instances take nothing of it', async () => {
  const ofNew: Answers = { '/2016-08-19/account-settings': () => accountSettings(10) };
  const { advice } = await checked('concurrency', ofNew);
  expect(advice).toMatch(/--quota-code L-B99A9384 --desired-value 1000$/);
  const taken = async (context: Record<string, string>) =>
    Number(/at most (\d+)/.exec((await checked('concurrency', ofNew, {}, context)).message)?.[1]);
  expect(await taken({})).toBe(workersMax('dev'));
  expect(await taken({ workers: 'managed' })).toBe(workersMax('dev', 'managed'));
});

test('an alarm names its runbook entry', async () => {
  const MetricAlarms = [
    { StateValue: 'ALARM', AlarmDescription: 'Bad. Runbook: docs/runbook.md#api-errors' },
  ];
  const result = await checked('alarms', { DescribeAlarms: () => [200, { MetricAlarms }] });
  expect(result.advice).toBe('Bad. Runbook: docs/runbook.md#api-errors');
});

test('an event source that is not enabled is named with its worker', async () => {
  const id = resources.find(({ type }) => type === 'AWS::Lambda::EventSourceMapping')?.id ?? '';
  const changes: Answers = { [`/2015-03-31/event-source-mappings/${id}`]: () => mapping(id, 'Disabled') };
  expect(await checked('event-sources', changes)).toMatchObject({
    status: 'problem',
    message: `Not enabled: agent-flow-dev-workers_run-record (${id}: Disabled)`,
  });
});

test('an address that SES has not verified is a problem, and the sandbox a warning', async () => {
  const context = { sesIdentities: 'example.com' };
  const missing: Answers = {
    '/v2/email/identities/example.com': () => [404, { __type: 'NotFoundException', message: 'none' }],
  };
  expect(await checked('email', missing, {}, context)).toMatchObject({
    status: 'problem',
    message: 'Not verified: example.com',
  });
  const sandbox: Answers = { '/v2/email/account': () => [200, { ProductionAccessEnabled: false }] };
  expect(await checked('email', sandbox, {}, context)).toMatchObject({
    status: 'warning',
    message: expect.stringContaining('sandbox'),
  });
});

test.each([
  ['UPDATE_ROLLBACK_COMPLETE', 'warning'],
  ['UPDATE_ROLLBACK_FAILED', 'problem'],
  ['UPDATE_IN_PROGRESS', 'warning'],
])('a stack in %s is a %s', async (stackStatus, status) => {
  expect(await checked('stack', {}, { status: stackStatus })).toMatchObject({ status });
});

test('an API that answers everyone with 200, an hour ago, fails both checks', async () => {
  const hourAgo = new Date(Date.now() - 3_600_000).toUTCString();
  const server = createServer((_, response) => response.writeHead(200, { date: hourAgo }).end('{}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const results = await resultsOf(['authorizer', 'clock', 'api'], {}, { url });
  const byId = new Map(results.map((result) => [result.id, result]));
  expect(byId.get('authorizer')).toMatchObject({
    status: 'problem',
    message: 'A request with no credential returned 200, not 401',
  });
  expect(byId.get('clock')).toMatchObject({
    status: 'problem',
    message: expect.stringMatching(/^36\d\d s from/),
  });
  expect(byId.get('api')).toMatchObject({ status: 'problem' });
});

test('an API that cannot be reached is a problem', async () => {
  const result = await checked('api', {}, { url: 'http://127.0.0.1:1' });
  expect(result).toMatchObject({ status: 'problem', message: expect.stringContaining('cannot be reached') });
});

test('a check that fails is a problem of that check alone, in one line', async () => {
  const run = () => {
    throw new TypeError('Unreadable\n  Deserialization error: to see the raw response …');
  };
  const [result] = await runChecks([{ id: 'broken', what: 'Broken', run }], {});
  expect(result).toMatchObject({ status: 'problem', message: 'TypeError: Unreadable' });
});

test('a check that does not end is a problem of that check alone', async () => {
  const results = await runChecks(
    [
      { id: 'slow', what: 'Slow', run: () => new Promise<never>(() => {}) },
      { id: 'quick', what: 'Quick', run: () => ({ status: 'ok', message: 'Fine' }) as const },
    ],
    {},
    20,
  );
  expect(results.map(({ status, message }) => [status, message])).toEqual([
    ['problem', 'No result after 0.02 s'],
    ['ok', 'Fine'],
  ]);
});

test.each([
  ['a stack that is not there', ['-c', 'env=staging'], 'There is no stack AgentFlowService-staging'],
  ['a wrong context value', ['-c', 'env=dev', '-c', 'alarms=maybe'], 'Wrong context values:\n  alarms'],
  ['no environment', ['-c', 'alarms=true'], 'Name the environment'],
])('%s: the command says so and ends with 1', async (_, args, message) => {
  const { code, stdout, stderr } = await doctor(args);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
});
