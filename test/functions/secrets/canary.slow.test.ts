import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest';
import { startModelStandIn } from '../../../examples/model-stand-in.ts';
import { endpoints } from '../../../functions/index.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';
import { calls, scripted } from '../../support/agents/agent-runs.ts';
import {
  findTraces,
  readDirectory,
  readStoredObjects,
  readTableItems,
  type Traces,
} from '../../support/flows/traces.ts';
import { scriptedAnswer } from '../../support/models/scripted-model.ts';
import { loopback } from '../../support/servers/loopback.ts';
import { browse, locationHash, toCallback } from '../../support/servers/oauth.ts';
import { startOAuthServer } from '../../support/servers/oauth-server.ts';
import { killAll, launchMain, newDirectory, readStackFacts } from '../../support/stack/processes.ts';

const models = await startModelStandIn({
  answer: (request) =>
    request.model === 'scripted'
      ? scriptedAnswer(request)
      : `I was told: ${JSON.stringify(request.messages)}`,
});
afterAll(() => models.close());
afterEach(killAll);

/** A value that has to be escaped wherever it goes. Its core does not, so the core is looked for. */
const canary = () => {
  const core = `canary${randomBytes(12).toString('hex')}`;
  return { core, value: `p"/<${core}>&'+ ä%` };
};

/** Says back all that it gets; as a page, as an error, behind a redirect, and much of it. */
const echo = () =>
  loopback(async (request, response) => {
    const { method, url = '', headers } = request;
    const said = JSON.stringify({ method, url, headers, body: await text(request) });
    if (url.startsWith('/redirect')) {
      return response
        .writeHead(302, { location: `/page?was=${encodeURIComponent(url)}`, 'x-echo': url })
        .end();
    }
    if (url.startsWith('/page'))
      return response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${url}</p>${said}`);
    const padding = url.startsWith('/much') ? 'x'.repeat(100_000) : '';
    response.writeHead(url.startsWith('/fail') ? 500 : 200, {
      'content-type': 'application/json',
      'x-echo': String(headers.authorization ?? headers['x-api-key'] ?? ''),
      'x-echo-64': Buffer.from(`so:${headers['x-api-key'] ?? url}`).toString('base64'),
    });
    response.end(JSON.stringify({ said, as64: Buffer.from(said).toString('base64'), padding }));
  });

const going = { errorHandling: { onError: 'continue' } };
const step = (type: string, name: string, config: object) => ({
  type,
  name,
  config: { ...going, ...config },
});
const call = (url: string, more: object = {}, outputVariable = 'a') =>
  step('api-call', url, { http: { url, ...more }, outputVariable });

/** Everything that a flow can do with a secret, but to write what another system answered into records, files and emails: they get it. */
function stepsFor(url: string) {
  const secret = '{{secret:CANARY}}';
  const encoded = '{{ secret:CANARY | url_encode }}';
  const headers = { Authorization: `Bearer ${encoded}`, 'X-Api-Key': encoded };
  return [
    call(
      `${url}/call?key=${encoded}`,
      { method: 'POST', headers, body: { key: secret, deep: [secret] } },
      'said',
    ),
    step('api-call', 'basic', { http: { url }, auth: { type: 'basic', username: 'me', password: secret } }),
    call(`${url}/fail/${encoded}`, { headers }),
    call(`${url}/redirect/${encoded}`),
    call(`${url}/much/${encoded}`, {}, 'much'),
    call('http://127.0.0.1:1/{{ secret:CANARY }}'),
    call('http://10.0.0.1/{{ secret:CANARY }}'),
    call(`no-url-${secret}`),
    call(url, { headers: { 'X-Broken': `${secret}\n${secret}` } }),
    step('fetch-url', 'page', { http: { url: `${url}/page?key=${encoded}` }, outputVariable: 'page' }),
    step('paginate-api', 'pages', { url: `${url}/list?key=${encoded}`, paginationType: 'page', maxPages: 2 }),
    step('prompt', 'ask', {
      model: 'generic-openai/any',
      systemPrompt: `Keep ${secret}`,
      userPrompt: `Say ${secret}`,
      outputVariable: 'answer',
      errorHandling: undefined,
    }),
    step('transform-data', 'script', {
      script: `return ['${secret}', secrets.CANARY, [...secrets.CANARY].reverse().reverse().join(''), { [secrets.CANARY]: encodeURIComponent(secrets.CANARY) }]`,
      outputVariable: 'script',
    }),
    step('transform-data', 'thrown', { script: 'throw new Error(secrets.CANARY)' }),
    step('transform-data', 'large', { script: `return '${secret}'.repeat(3000)`, outputVariable: 'large' }),
    step('template', 'told', {
      template: '{{ said | json }}{{ answer }}{{ page }}{{ script | json }}',
      outputVariable: 'told',
    }),
    step('set-variable', 'both', {
      variableName: 'both',
      value: ['{{ told }}', '{{ said }}'],
      errorHandling: undefined,
    }),
    step('send-event', 'event', { eventType: 'told', payload: { told: '{{ told }}' } }),
    step('send-stream', 'stream', { sourceVariable: 'both' }),
    step('wait-until', 'parks', { delayMs: 11_000 }),
    step('template', 'last', { template: '{{ told }}' }),
  ];
}

interface Client {
  /** With this very text as the body. */
  send: (method: string, path: string, body?: string) => Promise<string>;
  ask: (method: string, path: string, body?: unknown) => Promise<string>;
  /** Every answer, by what was asked. */
  answers: Traces;
}

function clientOf({ url }: StackFacts, token: string, answers: Traces = new Map()): Client {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send: Client['send'] = async (method, path, body) => {
    const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
    const answer = await response.text();
    const told = JSON.stringify([...response.headers]) + answer;
    answers.set(`${method} ${path} (${answers.size})`, Buffer.from(told));
    return answer;
  };
  const ask: Client['ask'] = (method, path, body) =>
    send(method, path, body === undefined ? undefined : JSON.stringify(body));
  return { send, ask, answers };
}

const json = async (answer: Promise<string>) => JSON.parse(await answer);

/** An agent with credentials: sent, changed, and sent in requests that fail. */
async function agentWith({ ask }: Client, { value, core }: { value: string; core: string }) {
  const servers = (token: string, more: object = {}) => ({
    config: {
      tools: { mcpServers: [{ id: 'a', url: 'https://a.example', auth: { type: 'bearer', token } }] },
    },
    ...more,
  });
  const auth = { type: 'basic', credentials: `me:${value}` };
  const externalConfig = { endpoint: 'https://b.example', auth };
  const agent = await json(ask('POST', '/v1/agents', servers(value, { name: 'Canary', externalConfig })));
  await ask('PUT', `/v1/agents/${agent.id}`, servers(`next ${core}`));
  await ask('PUT', `/v1/agents/${agent.id}`, servers(core, { name: ' ' }));
  await ask('PUT', `/v1/agents/${agent.id}`, servers(core.repeat(500)));
  await ask('PUT', `/v1/agents/${agent.id}`, servers(`${core}{{secret:lower}}`));
  await ask('PUT', `/v1/agents/${agent.id}`, servers(core, { description: 1 }));
  return agent;
}

/** A run of an agent whose tool tells a secret, to its end, and the ids of its parts. */
async function agentRun({ ask }: Client, toolId: string) {
  const config = {
    model: 'generic-openai/scripted',
    systemPrompt: 'Call it.',
    loopConfig: { maxTurns: 3 },
    tools: { toolIds: [toolId] },
  };
  const agent = await json(ask('POST', '/v1/agents', { name: 'Runs', config }));
  expect(agent).toMatchObject({ name: 'Runs' });
  const content = scripted(calls(['Echo']), { text: 'done' });
  const streamed = await ask('POST', `/v1/agents/${agent.id}/execute`, {
    messages: [{ role: 'user', content }],
  });
  expect(streamed).toContain('[secret:CANARY]');
  const { data } = await json(ask('GET', `/v1/agents/${agent.id}/executions`));
  const path = `/v1/agents/${agent.id}/executions/${data[0].id}/tool-calls`;
  const { toolCalls } = await json(ask('GET', path));
  const [executionId, toolCallId] = [data[0].id, toolCalls[0].id];
  return {
    'agent-runs': [agent.id],
    'agent-executions': [agent.id],
    executionId: [executionId],
    toolCallId: [toolCallId],
  };
}

/** A product with surfaces, and the values of its keys and of what the receiver of an A2A task gets. */
async function productWith({ ask }: Client, unlooked: Client, flowId: string, receiverUrl: string) {
  const { id, testApiKey } = await json(unlooked.ask('POST', '/v1/products', { name: 'Canary' }));
  const given = { capabilityName: 'run', flowId };
  const capability = await json(ask('POST', `/v1/products/${id}/capabilities`, given));
  const surface = await json(ask('POST', `/v1/products/${id}/surfaces`, { name: 'Canary', type: 'api' }));
  const path = `/v1/products/${id}/surfaces/${surface.id}`;
  await ask('POST', `${path}/items`, { capabilityId: capability.id });
  const keys = ['production', 'test'].map((environment) =>
    unlooked.ask('POST', `${path}/keys`, { environment }),
  );
  const values = (await Promise.all(keys.map(json))).map(({ key }) => key as string);
  const tools = await json(ask('POST', `/v1/products/${id}/surfaces`, { name: 'Tools', type: 'mcp' }));
  const agent = await json(
    ask('POST', `/v1/products/${id}/surfaces`, { name: 'Agent', type: 'a2a', status: 'active' }),
  );
  const at = `/v1/products/${id}/surfaces/${agent.id}`;
  await ask('POST', `${at}/items`, { capabilityId: capability.id });
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: {} }] };
  const [token, credentials] = [canary().core, canary().core];
  const authentication = { scheme: 'Bearer', credentials };
  const taskPushNotificationConfig = { id: 'canary', url: `${receiverUrl}/told`, token, authentication };
  const sent = { message, configuration: { taskPushNotificationConfig } };
  const { task } = await json(ask('POST', `${at}/a2a/message:send`, sent));
  const refused = { url: 'https://10.0.0.1', token, authentication: { scheme: 'Odd', credentials } };
  await ask('POST', `${at}/a2a/tasks/${task.id}/pushNotificationConfigs`, refused);
  await ask('POST', `${at}/a2a`, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tasks/pushNotificationConfig/set',
    params: { taskId: task.id, pushNotificationConfig: refused },
  });
  const clock = await json(ask('POST', `/v1/products/${id}/surfaces`, { name: 'Clock', type: 'schedule' }));
  const daily = { flowId, triggerType: 'recurring', cron: '@daily' };
  const schedule = await json(ask('POST', `/v1/products/${id}/surfaces/${clock.id}/schedules`, daily));
  const ids = {
    products: [id],
    surfaces: [id],
    'surface-keys': [id],
    surfaceId: [surface.id],
    schedules: [id],
    'surface-mcp': [id],
    'surface-mcp.surfaceId': [tools.id],
    'surface-a2a': [id],
    'surface-a2a.surfaceId': [agent.id],
    taskId: [task.id],
    configId: ['canary'],
    'schedules.surfaceId': [clock.id],
    scheduleId: [schedule.id],
    'schedules.runs': [schedule.id],
  };
  return { ids, values: [...values, testApiKey.key as string, token, credentials] };
}

/** An MCP connection whose tokens the server repeats, and a tool with it; and the values of what nobody may see. */
async function connectionWith({ ask }: Client, unlooked: Client, origin: string, api: string) {
  const [token, clientSecret] = [canary().core, canary().core];
  const refreshToken = `refresh-0-${canary().core}`;
  const options = { token, refreshToken, client: { id: 'canary', secret: clientSecret }, expiresIn: 10 };
  await fetch(`${origin}/canary/control`, { method: 'POST', body: JSON.stringify({ options }) });
  const url = `${origin}/canary/mcp`;
  const made = unlooked.ask('POST', '/v1/mcp-connections', { url, clientId: 'canary', clientSecret });
  const { id: connectionId, authorizeUrl } = (await json(made)).data;
  // The process has the public URL of the stack of all tests.
  const here = (address: string) => address.replace(new URL(authorizeUrl).origin, api);
  const { callback, cookie } = await toCallback(here(authorizeUrl));
  expect(locationHash(await browse(here(callback), cookie))).toBe('connected');
  const config = { url, toolName: 'whoami', auth: { type: 'oauth', connectionId } };
  const described = { toolType: 'mcp', name: 'Who', description: 'It', parametersSchema: {}, config };
  const tool = await json(ask('POST', '/v1/tools', described));
  const ran = await ask('POST', `/v1/tools/${tool.id}/execute`, { parameters: {} });
  expect(ran).toContain(`token [secret:${connectionId}.accessToken]`);
  await ask('POST', `/v1/tools/${tool.id}/test`, { execute: true });
  const { searchParams } = new URL(callback);
  const passed = [searchParams.get('code'), new URL(authorizeUrl).searchParams.get('token')];
  return { connectionId, values: [token, refreshToken, clientSecret, ...passed.map(String)] };
}

/** A client token, whose value is public, and a conversation. */
async function chatWith({ ask }: Client, flowId: string) {
  const body = { name: 'Canary', allowedOrigins: ['*'], flowIds: [flowId] };
  const { clientToken } = await json(ask('POST', '/v1/client-tokens', body));
  const { id } = await json(ask('POST', '/v1/conversations', { title: 'Canary' }));
  const { sessionId } = await json(ask('POST', '/v1/client/init', { token: clientToken.tokenValue }));
  await ask('POST', '/v1/client/chat', { sessionId, messages: [{ role: 'user', content: 'Canary' }] });
  const ofVisitor = {
    'client-chat.conversation': [id],
    'client-chat.events': ['exec_01k9m4v7d3x8qz5w2r6t0y1hbn'],
  };
  return { ...ofVisitor, 'client-tokens': [clientToken.id], conversations: [id] };
}

/** Asks every GET endpoint, with each of the ids that may be in its path. */
async function readEverything({ ask }: Client, ids: Record<string, string[]>) {
  const gets = (endpoints as readonly AnyEndpoint[]).filter(({ method }) => method === 'GET');
  for (const { id, path } of gets.filter(
    ({ id }) => !['api-keys.reveal', 'surface-keys.reveal', 'public.get-file'].includes(id),
  )) {
    const [first, ...others] = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    const group = id.split('.')[0] ?? '';
    const asked = first ? (ids[id] ?? ids[first === 'id' ? group : first] ?? []) : [''];
    if (asked.length === 0) throw new Error(`Which ids has ${id}? Tell it in this test.`);
    for (const one of asked) {
      const filled = others.reduce(
        (left, name) => left.replace(`{${name}}`, (ids[`${group}.${name}`] ?? ids[name])?.[0] ?? ''),
        path.replace(`{${first}}`, one),
      );
      await ask('GET', `${filled}${queries[id] ?? ''}`);
    }
  }
}

/** Page after page, since a page has 6 MB at most. */
async function allResults({ ask }: Client, flowId: string) {
  const results: { stepName: string; status: string }[] = [];
  for (let more = true; more; ) {
    const page = await json(
      ask('GET', `/v1/flows/${flowId}/step-results?limit=100&offset=${results.length}`),
    );
    results.push(...page.data);
    more = page.pagination.hasMore;
  }
  return results;
}

const queries: Record<string, string> = {
  'runs.trace': '?include=content',
  'records.schema': '?type=thing',
  'records.field-values': '?type=thing&field=name',
  'records.export': '?type=thing',
};

test('a secret and the plaintext of keys exist nowhere but in Secrets Manager', async () => {
  const [secret, rotated, pending, own, agents] = [canary(), canary(), canary(), canary(), canary()];
  const { url: echoUrl, host } = await echo();
  const oauth = await startOAuthServer();
  onTestFinished(oauth.close);
  const directory = newDirectory();
  const child = launchMain(
    {
      DATA_DIR: directory,
      LOG_LEVEL: 'info',
      LOCAL_ALLOWED_HOSTS: [host, '127.0.0.1:1', new URL(models.url).host, oauth.host].join(','),
      GENERIC_OPENAI_BASE_URL: models.url,
    },
    [],
  );
  const logs: Buffer[] = [];
  child.stderr?.on('data', (chunk) => logs.push(chunk));
  const facts = await readStackFacts(child);
  child.stdout?.on('data', (chunk) => logs.push(chunk));
  const session = clientOf(facts, facts.sessionToken);
  const { ask, send } = session;

  // Keys: what creates and regenerates them shows them once, so those answers are not looked at.
  const unlooked = clientOf(facts, facts.sessionToken);
  const made = async (environment: string) => {
    const permissions = ['FLOWS:*', 'RECORDS:*'];
    return json(unlooked.ask('POST', '/v1/api-keys', { name: environment, environment, permissions }));
  };
  const [live, trial] = [await made('production'), await made('test')];
  const again = await json(unlooked.ask('POST', `/v1/api-keys/${trial.apiKey.id}/regenerate`));
  const withKey = clientOf(facts, live.plainKey, session.answers);

  const { data } = await json(ask('POST', '/v1/secrets', { key: 'CANARY', value: rotated.value }));
  await ask('PUT', `/v1/secrets/${data.id}`, { value: secret.value, expectedVersion: 1 });
  await ask('PUT', `/v1/secrets/${data.id}`, { value: `${pending.value}\u0000`.repeat(900) });
  await ask('POST', '/v1/secrets', { key: 'CANARY', value: pending.value });
  await ask('POST', '/v1/secrets', { key: 'canary', value: pending.value });
  for (const malformed of [`{"value":${pending.core}}`, `{"key":"A${pending.core}`, `${pending.core}`]) {
    await send('POST', '/v1/secrets', malformed);
  }
  await ask('POST', '/v1/secrets/check', { keys: ['CANARY'] });

  // The tenant's own key, with which the prompts are sent.
  const ownKey = { provider: 'generic-openai', name: 'own', settings: { baseURL: models.url } };
  const { providerKey } = await json(ask('POST', '/v1/provider-keys', { ...ownKey, apiKey: own.core }));
  await ask('PATCH', `/v1/provider-keys/${providerKey.id}`, { apiKey: `sk-${own.core}` });
  await ask('PATCH', `/v1/provider-keys/${providerKey.id}`, { apiKey: `not a key ${own.core}` });

  const steps = stepsFor(echoUrl);
  const flow = await json(ask('POST', '/v1/flows', { name: 'Canary', flowSteps: steps }));
  await ask('POST', `/v1/flows/${flow.id}/publish`);
  await ask('POST', '/v1/public/flows/validate', { flow: { name: 'x', flowSteps: steps } });
  const config = {
    url: `${echoUrl}?told={{secret:CANARY}}`,
    method: 'POST',
    headers: { 'x-told': '{{secret:CANARY}}' },
    body: { told: '{{secret:CANARY}}' },
  };
  const described = { toolType: 'external', name: 'Echo', description: 'Echo', parametersSchema: {}, config };
  const tool = await json(ask('POST', '/v1/tools', described));
  const executed = await ask('POST', `/v1/tools/${tool.id}/execute`, { parameters: {} });
  expect(executed).toContain('[secret:CANARY]');
  await ask('POST', `/v1/tools/${tool.id}/test`, { execute: true });
  await ask('PUT', `/v1/tools/${tool.id}`, { config: { ...config, method: 'PUT' } });
  const record = await json(ask('POST', '/v1/records', { type: 'thing', name: 'one', metadata: {} }));
  const batch = await json(
    withKey.ask('POST', `/v1/flows/${flow.id}/run-on-record-type`, { recordType: 'thing' }),
  );
  const runOf = (options: object) => ({ flow: { id: flow.id }, record: { id: record.id }, options });
  const [streamed, inline] = await Promise.all([
    withKey.ask('POST', '/v1/dispatch', runOf({ debugMode: true })),
    withKey.ask('POST', '/v1/dispatch', {
      flow: { name: 'inline', steps },
      options: { streamResponse: false, debugMode: true },
    }),
  ]);
  // It did reach the other side, in every way.
  expect(streamed).toContain('[secret:CANARY]');
  expect(inline).toContain('[secret:CANARY]');
  expect(models.requests.some(({ messages }) => JSON.stringify(messages).includes(secret.core))).toBe(true);

  const status = () => json(ask('GET', `/v1/batch/status/${batch.batchId}`));
  await expect
    .poll(async () => (await status()).status, { timeout: 60_000, interval: 500 })
    .toBe('completed');
  // The dispatched run waits too, and goes on by itself.
  const count = async () => (await allResults(session, flow.id)).length;
  await expect.poll(count, { timeout: 60_000, interval: 1_000 }).toBe(2 * steps.length);
  const results = await allResults(session, flow.id);
  for (const name of ['script', 'large', 'told', 'page']) {
    expect(results.find(({ stepName }) => stepName === name)?.status, name).toBe('completed');
  }
  const { providerKeys } = await json(ask('GET', '/v1/provider-keys'));
  expect(providerKeys[0].usageCount).toBeGreaterThan(0);
  const { data: records } = await json(ask('GET', '/v1/records'));
  const { publishedVersionId } = await json(ask('GET', `/v1/flow-versions/${flow.id}`));
  const ofRun = await agentRun(session, tool.id);
  const agent = await agentWith(session, agents);
  const { publishedVersionId: agentVersion } = await json(ask('POST', `/v1/agents/${agent.id}/publish`));
  const product = await productWith(session, unlooked, flow.id, echoUrl);
  const connection = await connectionWith(session, unlooked, oauth.url, facts.url);
  const budgetBody = {
    name: 'Canary',
    scope: { type: 'tenant' },
    period: 'day',
    limit: '1',
    action: 'alert',
  };
  const budget = await json(
    unlooked.ask('POST', '/v1/budgets', { ...budgetBody, notify: { webhookUrl: echoUrl } }),
  );
  const alert = await json(
    unlooked.ask('POST', '/v1/alerts', {
      name: 'Canary',
      metric: 'failures',
      windowMinutes: 5,
      above: 1_000,
      notify: { webhookUrl: echoUrl },
    }),
  );
  const upload = { source: { upload: { fileName: 'rows.csv' } }, type: 'canary' };
  const imported = await json(unlooked.ask('POST', '/v1/imports', upload));
  const exported = await json(unlooked.ask('POST', '/v1/exports', { what: 'records', format: 'csv' }));
  const { data: listed } = await json(ask('GET', '/v1/runs?root=false&limit=100'));
  const runIds = (listed as { id: string }[]).map(({ id }) => id);
  await readEverything(session, {
    runs: runIds,
    'run-feedback': runIds.slice(0, 1),
    budgets: [budget.id],
    alerts: [alert.id],
    imports: [imported.id],
    exports: [exported.id],
    'mcp-connections': [connection.connectionId],
    ...product.ids,
    ...(await chatWith(session, flow.id)),
    agents: [agent.id],
    agentId: [agent.id],
    'agent-versions.versionId': [agentVersion],
    ...ofRun,
    flows: [flow.id],
    flowId: [flow.id],
    versionId: [publishedVersionId],
    records: records.map(({ id }: { id: string }) => id),
    batches: [batch.batchId],
    'api-keys': [live.apiKey.id, trial.apiKey.id],
    secrets: [data.id],
    tools: [tool.id, 'builtin:date-time'],
    'tool-runs': [tool.id, 'builtin:date-time'],
    toolId: ['date-time'],
  });
  await ask('GET', '/local/outbox');
  const left: Traces = new Map([
    ...session.answers,
    ...(await readTableItems(facts)),
    ...(await readStoredObjects(facts)),
  ]);
  expect([...left.keys()].filter((name) => name.startsWith('object payloads/')).length).toBeGreaterThan(0);
  await ask('DELETE', `/v1/secrets/${data.id}`);

  child.kill('SIGTERM');
  await once(child, 'exit');
  left.set('logs', Buffer.concat(logs));
  expect(left.get('logs')?.toString()).toContain('"action":"secret.rotated"');
  // The queues, the table, the buckets and Secrets Manager, as they lie on the disk.
  for (const [name, file] of readDirectory(directory)) left.set(name, file);
  for (const { core } of [secret, rotated, pending, own, agents]) expect(findTraces(core, left)).toEqual([]);
  for (const key of [
    live.plainKey,
    trial.plainKey,
    again.plainKey,
    ...product.values,
    ...connection.values,
    budget.notify.secret,
  ]) {
    expect(findTraces(key, left)).toEqual([]);
  }
  // The search would find them.
  expect(findTraces(facts.liveKey, left)).toEqual([expect.stringContaining('credentials.json')]);
  expect(findTraces(flow.id, left).length).toBeGreaterThan(10);
}, 300_000);
