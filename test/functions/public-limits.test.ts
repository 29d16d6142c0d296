import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import { serveMcp } from '../../functions/surface-mcp/serve.ts';
import { generateKey } from '../../shared/platform/auth/key-format.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { invokeWith } from '../support/stack/invoke.ts';
import { countingRuntime } from '../support/stack/stack.ts';

const all: readonly AnyEndpoint[] = endpoints;
const open = all.filter(({ permission }) => permission === 'public');

const group = () => randomInt(1, 0xffff).toString(16);
const newAddress = () => `2001:db8:${group()}:${group()}::1`;

function callerOf(endpoint: AnyEndpoint, sourceIp: string) {
  const runtime = countingRuntime();
  const invoke = invokeWith(
    toLambda(endpoint, () => runtime),
    {},
  );
  const example = (name: string) => String(endpoint.params?.shape[name].meta()?.example ?? 'org:x');
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return async (headers: Record<string, string>) => {
    const answer = await invoke({
      httpMethod: endpoint.method,
      body: endpoint.method === 'GET' ? null : '{}',
      headers: { 'content-type': 'application/json', ...headers },
      pathParameters: Object.fromEntries(names.map((name) => [name, example(name)])),
      requestContext: { requestId: 'test', stage: 'v1', identity: { sourceIp } } as never,
    });
    const header = (name: string) => Number(answer.headers?.[name]);
    return {
      status: answer.statusCode,
      left: header('X-RateLimit-Remaining'),
      retryAfter: header('Retry-After'),
    };
  };
}

const unknown = () => ({ authorization: `Bearer ${generateKey('production')}` });

test.each(open.map((endpoint) => [endpoint.id, endpoint] as const))(
  '%s: requests without a valid credential are counted, and the documents say how',
  async (id, endpoint) => {
    for (const headers of [() => ({}), unknown]) {
      const call = callerOf(endpoint, newAddress());
      const [first, second] = [await call(headers()), await call(headers())];
      expect([first.status, second.left]).toEqual([expect.any(Number), first.left - 1]);
      expect(second.left).toBeGreaterThan(0);
    }
    const [group] = id.split('.');
    const table = await readFile('docs/architecture.md', 'utf8');
    const rows = table.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows.filter((row) => row.includes(`\`${id}\``) || row.includes(`\`${group}.*\``))).toHaveLength(1);
  },
);

test('an mcp surface answers 429 to an address that has been refused as often as a key may ask', async () => {
  vi.stubEnv('RATE_LIMIT_PER_HOUR', '2');
  const call = callerOf(serveMcp, newAddress());
  expect((await call({})).status).toBe(401);
  expect((await call(unknown())).status).toBe(401);
  for (const headers of [{}, unknown()]) {
    const { status, retryAfter } = await call(headers);
    expect(status).toBe(429);
    expect(retryAfter).toBeGreaterThan(0);
  }
  expect((await callerOf(serveMcp, newAddress())({})).status).toBe(401);
});
