import { readFile } from 'node:fs/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { getHealth } from '../../../functions/public/health.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { tenantTable } from '../../../shared/platform/data/table.ts';
import { toLambda } from '../../../shared/platform/http/lambda/lambda.ts';
import type { Runtime } from '../../../shared/platform/runtime.ts';
import { brokenTable, type Interference, unreachable } from '../../support/data/broken-table.ts';
import { serveHttp } from '../../support/servers/serve.ts';
import { invokeWith } from '../../support/stack/invoke.ts';
import { call, countingRuntime, stack } from '../../support/stack/stack.ts';

const path = '/v1/public/health';
const manifest = JSON.parse(await readFile('package.json', 'utf8'));

const over = (runtime: Runtime) =>
  invokeWith(
    toLambda(getHealth, () => runtime),
    {},
  );
const overBroken = (interference: Interference) =>
  over({
    scopeOf: (tenant) => ({ ...countingRuntime().scopeOf(tenant), table: brokenTable(tenant, interference) }),
  });

test('the embedded stack says without a credential that it is ready, its version and its engine', async () => {
  const { status, body } = await call('GET', path);
  expect({ status, body }).toEqual({
    status: 200,
    body: { ready: true, version: manifest.version, engine: 'embedded' },
  });
});

test('a Lambda on AWS has no endpoint of its own for DynamoDB, and says so', async () => {
  const runtime = countingRuntime();
  await over(runtime)({});
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(JSON.parse((await over(runtime)({})).body)).toMatchObject({ engine: 'dynamodb' });
});

test('a check is one write of the table, which counts the request', async () => {
  const runtime = countingRuntime();
  const check = over(runtime);
  const before = await check({});
  runtime.reset();
  const after = await check({});
  expect(runtime.consumed).toMatchObject({ commands: ['UpdateItem'], capacityUnits: 1 });
  const leftOf = ({ headers }: typeof after) => Number(headers?.['X-RateLimit-Remaining']);
  expect(leftOf(after)).toBe(leftOf(before) - 1);
});

test('a load balancer that asks every two seconds, and two of its kind, stay below the limits', async () => {
  const { headers } = await over(countingRuntime())({});
  expect(Number(headers?.['X-RateLimit-Limit'])).toBeGreaterThan((3 * 3_600) / 2);
});

test('503 while the table cannot be reached, in the form of every error, then 200 again', async () => {
  let fails = true;
  const check = overBroken({
    before() {
      if (fails) throw unreachable();
    },
  });
  const { statusCode, headers, body } = await check({});
  expect({ statusCode, body: JSON.parse(body) }).toEqual({
    statusCode: 503,
    body: {
      error: 'Service unavailable',
      details: [{ code: 'UPSTREAM_FAILED', message: 'The table does not respond. Try again later' }],
    },
  });
  expect(headers?.['Retry-After']).toBe('5');
  fails = false;
  expect((await check({})).statusCode).toBe(200);
});

test('503 while the table accepts requests and does not answer', async () => {
  const silent = await serveHttp(() => {});
  onTestFinished(silent.close);
  const client = documentClient(new DynamoDBClient({ endpoint: silent.url }));
  const scopeOf: Runtime['scopeOf'] = (tenant) => ({
    ...countingRuntime().scopeOf(tenant),
    table: tenantTable(client, stack().table, tenant),
  });
  expect((await over({ scopeOf })({})).statusCode).toBe(503);
});
