import { expect, test } from 'vitest';
import * as z from 'zod';
import { endpoints } from '../../functions/index.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { takesIdempotencyKey } from '../../shared/platform/http/idempotency-key.ts';
import { createScriptedAgent, run, scripted } from '../support/agents/agent-runs.ts';
import { call, newTenant, stack, type Tenant } from '../support/stack/stack.ts';
import { chatWorld, onlyConversation, openSession, shop } from '../support/surfaces/chat.ts';

const all: readonly AnyEndpoint[] = endpoints;

const keyed = (key: string, body?: unknown) => ({ body, headers: { 'idempotency-key': key } });
const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed');

test('every POST takes the key, or says why not; no other method does', () => {
  const without = all.flatMap(({ id, noIdempotencyKey }) => (noIdempotencyKey === undefined ? [] : [id]));
  expect(without.toSorted()).toEqual([
    'agents.fetch-agent-card',
    'api-mcp.serve',
    'batches.forecast',
    'client-chat.init',
    'public.redeem-login',
    'public.validate-flow',
    'records.preview-filter',
    'run-waits.answer',
    'run-waits.call-back',
    'run-waits.show',
    'secrets.check',
    'secrets.intake-manifest',
    'surface-a2a.add-push-config',
    'surface-a2a.call-rpc',
    'surface-a2a.change-task',
    'surface-a2a.send-message',
    'surface-mcp.serve',
    'surface-webhooks.receive',
    'workspace.plan',
  ]);
  for (const endpoint of all) {
    const { id, method, noIdempotencyKey } = endpoint;
    expect(takesIdempotencyKey(endpoint), id).toBe(method === 'POST' && !without.includes(id));
    expect(noIdempotencyKey, id).not.toBe('');
  }
});

interface Shape {
  $ref?: string;
  description?: string;
  properties?: Record<string, Shape>;
  items?: Shape;
}

/** The members of a response that may hold a value which is shown once, by their names and descriptions. */
function secretsIn(schema: z.ZodType): string[] {
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { unrepresentable: 'any' }) as Shape & {
    $defs?: Record<string, Shape>;
  };
  const within = ({ $ref, ...own }: Shape, path: string[]): string[] => {
    const { properties = {}, items } = $ref === undefined ? own : ($defs[$ref.replace('#/$defs/', '')] ?? {});
    const inItems = items ? within(items, [...path, '*']) : [];
    const inMembers = Object.entries(properties).flatMap(([name, member]) => {
      const place = [...path, name];
      const isSecret =
        /^(plainKey|key|secret|authorizeUrl|url)$/.test(name) || /once/i.test(member.description ?? '');
      return [...(isSecret ? [place.join('.')] : []), ...within(member, place)];
    });
    return [...inItems, ...inMembers];
  };
  return within(whole, []);
}

test('each response that shows a secret once says which member it is', () => {
  const found = all.filter(takesIdempotencyKey).flatMap((endpoint) => {
    const { id, response } = endpoint;
    const bodies = 'bodies' in response ? Object.values(response.bodies ?? {}) : [];
    return bodies.flatMap((body) => secretsIn(body as z.ZodType)).map((path) => `${id} ${path}`);
  });
  const declared = all.flatMap(({ id, shownOnce = [] }) => shownOnce.map((path) => `${id} ${path}`));
  // Names of secrets and addresses of other servers.
  const open = [
    'mcp-connections.authorize data.url',
    'mcp-connections.create data.url',
    'secrets.create data.key',
    'secrets.intake-submit manifest.source.key',
  ];
  expect(new Set([...found, 'surfaces.create outbound.webhook.secret'])).toEqual(
    new Set([...declared, ...open]),
  );
});

test('a flow is created once', async () => {
  const { call } = await newTenant();
  const first = await call('POST', '/v1/flows', keyed('a', { name: 'A flow' }));
  expect([first.status, replayed(first)]).toEqual([201, null]);
  const again = await call('POST', '/v1/flows', keyed('a', { name: 'A flow' }));
  expect([again.status, replayed(again)]).toEqual([201, 'true']);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('x-ratelimit-remaining')).not.toBeNull();
  const other = await call('POST', '/v1/flows', keyed('a', { name: 'Another' }));
  expect(other).toMatchObject({ status: 422, body: { details: [{ code: 'IDEMPOTENCY_KEY_REUSED' }] } });
  expect((await call('GET', '/v1/flows')).body.data).toHaveLength(1);
});

test('a caller without permission is refused as ever, and may use the key later', async () => {
  const { call, ...tenant } = await newTenant({ permissions: ['FLOWS:READ'] });
  expect(await call('POST', '/v1/flows', keyed('a', { name: 'A flow' }))).toMatchObject({ status: 403 });
  const allowed = await newTenant({ userId: tenant.userId });
  const first = await allowed.call('POST', '/v1/flows', keyed('a', { name: 'A flow' }));
  expect([first.status, replayed(first)]).toEqual([201, null]);
  expect(await call('POST', '/v1/flows', keyed('a', { name: 'A flow' }))).toMatchObject({ status: 403 });
});

test('publishing twice with one key says twice that it is published', async () => {
  const { call } = await newTenant();
  const flow = (await call('POST', '/v1/flows', { body: { name: 'A flow' } })).body;
  const path = `/v1/flows/${flow.id}/publish`;
  const first = await call('POST', path, keyed('a'));
  const again = await call('POST', path, keyed('a'));
  expect([again.status, again.body, replayed(again)]).toEqual([200, first.body, 'true']);
  expect(await call('POST', path, keyed('b'))).toMatchObject({ status: 404 });
});

test('a new API key is shown once: the repetition masks it, and a repeated regeneration keeps the value', async () => {
  const { call } = await newTenant();
  const body = { name: 'k', environment: 'test', permissions: ['FLOWS:READ'] };
  const { body: first } = await call('POST', '/v1/api-keys', keyed('a', body));
  const { body: again } = await call('POST', '/v1/api-keys', keyed('a', body));
  const mask = (value: string) => `${value.slice(0, 'tv_test_'.length + 4)}…${value.slice(-4)}`;
  expect(again).toEqual({ ...first, plainKey: mask(first.plainKey) });
  const path = `/v1/api-keys/${first.apiKey.id}/regenerate`;
  const { body: regenerated } = await call('POST', path, keyed('a'));
  const repeated = await call('POST', path, keyed('a'));
  expect(repeated.body.plainKey).toBe(mask(regenerated.plainKey));
});

test('a form is compared by its bytes', async () => {
  const { call } = await newTenant();
  const bodyOf = (name: string) =>
    ['--b', 'content-disposition: form-data; name="file"; filename="a.csv"', '', `code\n${name}`, '--b--', '']
      .join('\r\n')
      .replace('--b--', '--b\r\ncontent-disposition: form-data; name="nameColumn"\r\n\r\ncode\r\n--b--')
      .replace('--b--', '--b\r\ncontent-disposition: form-data; name="typeValue"\r\n\r\nairport\r\n--b--');
  const upload = (name: string) =>
    call('POST', '/v1/records/upload-csv', {
      body: bodyOf(name),
      headers: { 'idempotency-key': 'a', 'content-type': 'multipart/form-data; boundary=b' },
    });
  const first = await upload('OSL');
  expect(first).toMatchObject({ status: 201, body: { created: 1 } });
  expect(await upload('OSL')).toMatchObject({ status: 201, body: first.body });
  expect(await upload('BGO')).toMatchObject({ status: 422 });
});

const flowOf = (steps: object[]) => ({ flow: { steps } });
const template = { type: 'template', name: 'Greet', config: { template: 'hello' } };
const eventsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)))
    .filter(({ type }) => type !== 'ping');

test('the repetition of a stream gives the events of the same run from the first on', async () => {
  const { call } = await newTenant();
  const first = await call('POST', '/v1/dispatch', keyed('a', flowOf([template])));
  const again = await call('POST', '/v1/dispatch', keyed('a', flowOf([template])));
  expect([again.status, replayed(again)]).toEqual([200, 'true']);
  expect(again.headers.get('content-type')).toBe('text/event-stream');
  expect(eventsOf(again.body)).toEqual(eventsOf(first.body));
  const { data } = (await call('GET', '/v1/runs')).body;
  expect(data).toHaveLength(1);
});

test('a run that is not streamed is repeated as well', async () => {
  const { call } = await newTenant();
  const body = { ...flowOf([template]), options: { streamResponse: false } };
  const first = await call('POST', '/v1/dispatch', keyed('a', body));
  const again = await call('POST', '/v1/dispatch', keyed('a', body));
  expect([again.body, replayed(again)]).toEqual([first.body, 'true']);
});

const slowFlow = flowOf([{ type: 'wait-until', name: 'Wait', config: { delayMs: 1_500 } }, template]);

async function startsRun({ call }: Tenant, body: unknown, path = '/v1/dispatch') {
  const first = call('POST', path, keyed('a', body));
  await expect.poll(async () => (await call('GET', '/v1/runs')).body.data.length).toBe(1);
  return first;
}

test('during a stream, a repetition attaches to it', async () => {
  const tenant = await newTenant();
  const starting = startsRun(tenant, slowFlow);
  await expect.poll(async () => (await tenant.call('GET', '/v1/runs')).body.data.length).toBe(1);
  const again = await tenant.call('POST', '/v1/dispatch', keyed('a', slowFlow));
  const first = await starting;
  expect(replayed(again)).toBe('true');
  expect(eventsOf(again.body)).toEqual(eventsOf(first.body));
  expect((await tenant.call('GET', '/v1/runs')).body.data).toHaveLength(1);
});

test('a repetition gets what a stream has said so far before its end', async () => {
  const tenant = await newTenant();
  const body = flowOf([template, { type: 'wait-until', name: 'Wait', config: { delayMs: 9_000 } }]);
  let isOver = false;
  const starting = tenant.call('POST', '/v1/dispatch', keyed('a', body)).finally(() => {
    isOver = true;
  });
  await expect.poll(async () => (await tenant.call('GET', '/v1/runs')).body.data.length).toBe(1);
  const { body: stream } = await fetch(`${stack().url}/v1/dispatch`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tenant.token}`,
      'content-type': 'application/json',
      'idempotency-key': 'a',
    },
    body: JSON.stringify(body),
  });
  let [text, seenEarly] = ['', false];
  const decoder = new TextDecoder();
  for await (const bytes of stream as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    seenEarly ||= !isOver && text.includes('"type":"step_complete"');
  }
  expect(seenEarly).toBe(true);
  expect(eventsOf(text)).toEqual(eventsOf((await starting).body));
});

/** A request whose client leaves after the first bytes. */
async function breaksOff({ token }: Tenant, path: string, body: object) {
  const leaving = new AbortController();
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': 'a',
  };
  const init = { method: 'POST', headers, body: JSON.stringify(body), signal: leaving.signal };
  const { body: stream } = await fetch(stack().url + path, init);
  await stream?.getReader().read();
  leaving.abort();
}

test('a run whose client has left goes on for the repetition of its request', async () => {
  const tenant = await newTenant();
  const body = flowOf([{ type: 'wait-until', name: 'Wait', config: { delayMs: 9_000 } }, template]);
  await breaksOff(tenant, '/v1/dispatch', body);
  const again = await tenant.call('POST', '/v1/dispatch', keyed('a', body));
  expect(replayed(again)).toBe('true');
  expect(eventsOf(again.body).at(-1)).toMatchObject({ type: 'execution_complete', success: true });
  expect((await tenant.call('GET', '/v1/runs')).body.data).toMatchObject([{ status: 'completed' }]);
});

test('a run whose client has left and does not come back ends, and says so', async () => {
  const tenant = await newTenant();
  const body = flowOf([{ type: 'wait-until', name: 'Wait', config: { delayMs: 9_900 } }, template]);
  await breaksOff(tenant, '/v1/dispatch', body);
  const statuses = async () =>
    (await tenant.call('GET', '/v1/runs')).body.data.map((run: { status: string }) => run.status);
  await expect.poll(statuses, { timeout: 9_000 }).toEqual(['cancelled']);
  const again = await tenant.call('POST', '/v1/dispatch', keyed('a', body));
  const error = { code: 'CANCELLED', message: 'The caller disconnected' };
  expect(eventsOf(again.body).at(-1)).toMatchObject({ type: 'execution_error', error });
});

test('a run of an agent whose client has left goes on for the repetition of its request', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/scripted-slow' });
  const path = `/v1/agents/${agent.id}/execute`;
  const body = { messages: [{ role: 'user', content: scripted({ text: 'Late' }) }] };
  await breaksOff(tenant, path, body);
  const again = await tenant.call('POST', path, keyed('a', body));
  expect(eventsOf(again.body).at(-1)).toMatchObject({ type: 'execution_complete', success: true });
});

test('a long answer is repeated without a change', async () => {
  const { call } = await newTenant();
  const script = 'Array.from({ length: 20000 }, (_, n) => n % 7 + "\\u{1d11e}").join("")';
  const step = { type: 'transform-data', name: 'Long', config: { script, outputVariable: 'text' } };
  const body = { ...flowOf([step]), options: { streamResponse: false } };
  const first = await call('POST', '/v1/dispatch', keyed('a', body));
  const again = await call('POST', '/v1/dispatch', keyed('a', body));
  expect(first.body).toMatchObject({ success: true, output: expect.stringContaining('6\u{1d11e}') });
  expect(again.body).toEqual(first.body);
});

test('the texts of a model come in one piece in the repetition, and whole', async () => {
  const { call } = await newTenant();
  const body = flowOf([
    {
      type: 'prompt',
      name: 'Say',
      config: { model: 'generic-openai/trickling', userPrompt: 'one two three four' },
    },
  ]);
  const texts = ({ body: text }: { body: string }) =>
    eventsOf(text).filter(({ type }) => type === 'text_delta') as { delta: string }[];
  const first = texts(await call('POST', '/v1/dispatch', keyed('a', body)));
  const again = texts(await call('POST', '/v1/dispatch', keyed('a', body)));
  expect(first.length).toBeGreaterThan(1);
  expect(again.map(({ delta }) => delta)).toEqual([first.map(({ delta }) => delta).join('')]);
});

const asks = (content: string) => ({ messages: [{ role: 'user', content }] });

test('a run of an agent is followed by repetitions, during the run and after it', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/trickling' });
  const path = `/v1/agents/${agent.id}/execute`;
  const repeat = () => tenant.call('POST', path, keyed('a', asks('Say something')));
  const starting = repeat();
  await expect
    .poll(async () =>
      (await tenant.call('GET', '/v1/runs')).body.data.map((run: { status: string }) => run.status),
    )
    .toEqual(['running']);
  const [first, during] = await Promise.all([starting, repeat()]);
  const after = await repeat();
  const [events, ...others] = [first, during, after].map(({ body }) => eventsOf(body));
  expect(events?.at(-1)).toMatchObject({ type: 'execution_complete', success: true });
  for (const other of others) {
    expect(other[0]).toEqual(events?.[0]);
    // A log tells the duration by the times of its entries.
    expect(other.at(-1)).toEqual({ ...events?.at(-1), durationMs: expect.any(Number) });
    expect(textOf(other)).toBe(textOf(events ?? []));
  }
  expect([during, after].map(replayed)).toEqual(['true', 'true']);
  expect((await tenant.call('GET', '/v1/runs')).body.data).toHaveLength(1);
});

const textOf = (events: { type: string; delta?: string }[]) =>
  events.flatMap(({ type, delta }) => (type === 'text_delta' ? [delta] : [])).join('');

test('an approval that is repeated shows what followed it, and decides once', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    tools: { toolIds: ['builtin:calculator'], approval: { require: true } },
  });
  const call = { name: 'calculator', arguments: { expression: '1 + 1' } };
  const { body: paused } = await run(tenant, agent.id, scripted({ toolCalls: [call] }, { text: 'Two' }));
  const [wait] = paused.pausedReason.awaits;
  const body = { executionId: paused.executionId, approvalId: wait.approvalId, decision: 'approved' };
  const approve = () => tenant.call('POST', `/v1/agents/${agent.id}/approve`, keyed('a', body));
  const first = eventsOf((await approve()).body);
  const again = eventsOf((await approve()).body);
  expect(first.map(({ type }) => type)).toContain('approval_complete');
  expect(again.map(({ seq }) => seq)).toEqual(first.map(({ seq }) => seq));
  expect(await tenant.call('POST', `/v1/agents/${agent.id}/approve`, { body })).toMatchObject({
    status: 409,
  });
});

test('a message in a chat is answered once', async () => {
  const { token, tenant } = await chatWorld();
  const { sessionId } = (await openSession(token)).body;
  const body = { sessionId, messages: [{ id: 'm1', role: 'user', content: 'Hello' }] };
  const send = () =>
    call('POST', '/v1/client/chat', { body, headers: { 'idempotency-key': 'a', origin: shop } });
  const first = await send();
  const again = await send();
  expect([first.status, again.status, replayed(again)]).toEqual([200, 200, 'true']);
  expect(eventsOf(again.body)).toEqual(eventsOf(first.body));
  expect((await onlyConversation(tenant)).messages).toHaveLength(2);
});
