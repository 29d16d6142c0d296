import { expect, test } from 'vitest';
import { a2aPort } from '../../../../shared/adapters/a2a-client/a2a-adapter.ts';
import { safeFetch } from '../../../../shared/adapters/net/safe-fetch.ts';
import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import type { ExternalConfig } from '../../../../shared/domain/agents/config/external-config.ts';
import {
  delegate,
  delegateSkill,
  getAgentOrchestration,
  openAgentSkills,
} from '../../../../shared/execution/tools/agent-skills.ts';
import { called } from '../../../support/files/runnable-tools.ts';
import { a2aServer, dataPart, taskStates, textPart } from '../../../support/servers/a2a-server.ts';
import { jsonWebAnswer, web } from '../../../support/servers/web.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';
import { stepFailureMessage } from '../tools/run-tool.ts';

const { signal } = new AbortController();
const ports: Ports = { ...emptyWorld, a2a: a2aPort, fetch: safeFetch };

const ask = (config: ExternalConfig, text = 'Hello', more: object = {}) =>
  Array.fromAsync(delegate(ports, { retryCount: 0, ...config }, { parts: [{ text }], signal, ...more }));
const failure = (config: ExternalConfig) => stepFailureMessage(ask(config));

const skill = (id: string, more: object = {}) => ({
  id,
  name: `Skill ${id}`,
  description: `Does ${id}`,
  ...more,
});
const card = (...skills: ReturnType<typeof skill>[]) => ({
  protocolVersion: '1.0',
  capabilities: { streaming: true },
  skills,
});

test('a delegated message is answered, with the credentials and the skill that orchestrates', async () => {
  const metadata: unknown[] = [];
  const { url, headers } = await a2aServer((work) => {
    metadata.push(work.message.metadata);
    work.answer('Hi there');
  });
  const events = await ask({
    endpoint: url,
    cachedAgentCard: card(skill('a'), skill('b')),
    auth: { type: 'basic', credentials: 'ada:pass:word' },
    skillsOverride: [{ id: 'b', enabled: true, role: 'orchestrator' }],
  });
  expect(events.at(-1)).toMatchObject({ type: 'end', state: 'completed', text: 'Hi there' });
  expect(metadata).toEqual([{ skillId: 'b' }]);
  expect(headers[0]?.authorization).toBe(`Basic ${Buffer.from('ada:pass:word').toString('base64')}`);
});

test.each<[ExternalConfig['auth'], object]>([
  [{ type: 'none', credentials: 'x' }, {}],
  [{ type: 'bearer', credentials: 'the-token' }, { authorization: 'Bearer the-token' }],
  [{ type: 'api_key', credentials: 'the-token' }, { 'x-api-key': 'the-token' }],
  [{ type: 'api_key', credentials: 'the-token', headerName: 'X-Mine' }, { 'x-mine': 'the-token' }],
])('credentials %j are sent as %j', async (auth, expected) => {
  const { url, headers } = await a2aServer((work) => work.answer('ok'));
  await ask({ endpoint: url, auth, cachedAgentCard: card() });
  const names = ['authorization', 'x-api-key', 'x-mine'];
  const sent = Object.entries(headers[0] ?? {}).filter(([name]) => names.includes(name));
  expect(Object.fromEntries(sent)).toEqual(expected);
});

test('an agent that repeats its credentials is redacted, in deltas, answers and failures', async () => {
  const credentials = 'correct-horse-battery';
  const auth = { type: 'bearer', credentials } as const;
  const { url } = await a2aServer((work) => {
    work.begin();
    work.status(taskStates.working, credentials);
    for (const letter of credentials)
      work.artifact('a', [textPart(letter)], { append: true, lastChunk: false });
    work.status(taskStates.completed);
  });
  const events = await ask({ endpoint: url, auth, cachedAgentCard: card() });
  expect(JSON.stringify(events)).not.toContain(credentials);
  const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
  expect(deltas).toBe('[secret:externalConfig.auth.credentials]');
  const refusing = await web(() => ({ status: 500, body: `${'a'.repeat(290)}${credentials}` }));
  const config = { endpoint: refusing.url, auth, cachedAgentCard: card() };
  expect(await failure(config)).toMatch(/^The agent answered 500: a+\[secret:/);
});

test('without a cached card it is fetched; without any, the endpoint is tried as it is', async () => {
  const agent = await a2aServer((work) => work.answer('ok'), { version: '0.3' });
  const cards = await web(() =>
    jsonWebAnswer({ url: agent.url, protocolVersion: '0.3.0', capabilities: { streaming: true } }),
  );
  expect((await ask({ agentCardUrl: `${cards.url}/card.json` })).at(-1)).toMatchObject({ text: 'ok' });
  expect(agent.asked).toEqual(['message/stream']);
  expect((await ask({ endpoint: agent.url })).at(-1)).toMatchObject({ text: 'ok' });
  expect(agent.asked).toContain('message/send');
});

test('credentials go to the origin that the tenant named, and to no other that a card names', async () => {
  const agent = await a2aServer((work) => work.answer('ok'));
  const cachedAgentCard = { ...card(), url: `${agent.url}/` };
  const auth = { type: 'bearer', credentials: 'the-token-of-it' } as const;
  const agentCardUrl = 'https://cards.example/card.json';
  expect(await failure({ agentCardUrl, auth, cachedAgentCard })).toContain('names another origin');
  expect(agent.asked).toEqual([]);
  expect((await ask({ agentCardUrl, cachedAgentCard })).at(-1)).toMatchObject({ text: 'ok' });
  expect(await failure({ agentCardUrl, cachedAgentCard: card() })).toContain(
    'does not say where the agent is',
  );
});

test('an origin as endpoint is completed by the card', async () => {
  const paths: (string | undefined)[] = [];
  const { url } = await web(({ path, body }) => {
    paths.push(path);
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'ok' }] };
    return jsonWebAnswer({ jsonrpc: '2.0', id: JSON.parse(body).id, result: { message } });
  });
  const cachedAgentCard = { protocolVersion: '1.0', url: `${url}/agents/one` };
  await ask({ endpoint: url, cachedAgentCard });
  expect(paths).toEqual(['/agents/one']);
});

test.each([
  [taskStates.failed, 'The agent ended its task as failed: No luck'],
  [taskStates.canceled, 'The agent ended its task as canceled: No luck'],
  [taskStates.authRequired, 'The agent ended its task as auth-required: No luck'],
])('a task that ends in state %i is a failure', async (state, message) => {
  const { url } = await a2aServer((work) => {
    work.begin();
    work.status(state, 'No\nluck\u0007');
  });
  expect(await failure({ endpoint: url, cachedAgentCard: card() })).toBe(message);
});

test.each([
  [401, 'The agent asks for authorization (401): check externalConfig.auth. It answered: x'],
  [500, 'The agent answered 500: x'],
])('status %i', async (status, message) => {
  const { url } = await web(() => ({ status, body: 'x' }));
  expect(await failure({ endpoint: url, cachedAgentCard: card() })).toBe(message);
});

test('the orchestrations', () => {
  const model = { model: 'gpt-5-mini', temperature: 0.3 };
  for (const skillOrchestration of [undefined, 'delegate', 'native', 'none'] as const) {
    expect(getAgentOrchestration({ skillOrchestration })).toBe('delegate');
  }
  const own = { skillOrchestrator: { ...model, systemPrompt: 'Mine' } };
  expect(getAgentOrchestration({ skillOrchestration: 'agent_skill', ...own })).toEqual({
    ...model,
    systemPrompt: 'Mine',
  });
  expect(getAgentOrchestration({ skillOrchestration: 'managed', ...own })).toMatchObject({
    ...model,
    systemPrompt: expect.stringContaining('skills of another agent'),
  });
  expect(getAgentOrchestration({ skillOrchestration: 'agent_skill' })).toMatchObject({ model: 'default' });
});

test('the skill of delegated messages is the one that orchestrates, else the only one that stands alone', () => {
  const cachedAgentCard = card(skill('a'), skill('b'));
  const of = (...skillsOverride: NonNullable<ExternalConfig['skillsOverride']>) =>
    delegateSkill({ cachedAgentCard, skillsOverride });
  const on = { enabled: true };
  expect(of()).toBeUndefined();
  expect(of({ id: 'a', ...on, role: 'standalone' })).toBe('a');
  expect(of({ id: 'a', ...on, role: 'standalone' }, { id: 'b', ...on, role: 'standalone' })).toBeUndefined();
  expect(of({ id: 'a', ...on, role: 'standalone' }, { id: 'b', ...on, role: 'orchestrator' })).toBe('b');
  expect(of({ id: 'a', enabled: false, role: 'orchestrator' })).toBeUndefined();
});

test('skills are tools: those with the role tool, under their own names, with their schemas', async () => {
  const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const asked: unknown[] = [];
  const { url } = await a2aServer((work) => {
    asked.push(
      work.message.parts.map(({ content }) => content),
      work.message.metadata,
      work.contextId,
    );
    work.begin();
    work.artifact('a', [textPart('It is '), dataPart({ celsius: 21 })]);
    work.status(taskStates.completed);
  });
  const tools = await openAgentSkills(
    ports,
    {
      endpoint: url,
      cachedAgentCard: card(
        skill('weather', { inputSchema }),
        skill('talk'),
        skill('wrong', { inputSchema: { properties: { a: { type: 'text' } } } }),
        skill('off'),
        skill('secret'),
      ),
      skillsOverride: [
        {
          id: 'weather',
          enabled: true,
          role: 'tool',
          exposedName: 'get weather',
          exposedDescription: 'Weather',
        },
        { id: 'talk', enabled: true, role: 'tool' },
        { id: 'wrong', enabled: true, role: 'tool' },
        { id: 'off', enabled: false, role: 'tool' },
        { id: 'secret', enabled: true, role: 'hidden' },
      ],
    },
    signal,
  );
  expect(tools.map(({ id, name, description }) => [id, name, description])).toEqual([
    ['a2a:weather', 'get_weather', 'Weather'],
    ['a2a:talk', 'Skill_talk', 'Does talk'],
    ['a2a:wrong', 'Skill_wrong', 'Does wrong'],
  ]);
  expect(tools.map(({ repeatable }) => repeatable)).toEqual([false, false, false]);
  const [weather, talk, wrong] = tools;
  expect(weather?.parameters).toEqual(inputSchema);
  expect(wrong?.parameters).toEqual(talk?.parameters);
  const deltas: unknown[] = [];
  const call = { id: 'call_1', emit: (event: unknown) => deltas.push(event) };
  expect(await called(weather, { city: 'Oslo' }, signal, call)).toEqual({
    output: { text: 'It is ', data: [{ data: { celsius: 21 } }] },
  });
  expect(deltas).toEqual([{ type: 'output', delta: 'It is ' }]);
  await called(talk, { message: 'Hi' }, signal);
  expect(asked).toMatchObject([
    [{ $case: 'data', value: { city: 'Oslo' } }],
    { skillId: 'weather' },
    expect.any(String),
    [{ $case: 'text', value: 'Hi' }],
    { skillId: 'talk' },
    asked[2],
  ]);
  expect(await stepFailureMessage(called(weather, {}, signal))).toContain('do not fit the tool get_weather');
  expect(await talk?.preview({ message: 'x' }, signal)).toEqual({
    url,
    skill: 'talk',
    arguments: { message: 'x' },
  });
});

test('a skill that asks back tells the model, and the next call continues its task', async () => {
  const tasks: string[] = [];
  const { url } = await a2aServer((work) => {
    tasks.push(work.taskId);
    work.begin();
    if (tasks.length === 1) work.status(taskStates.inputRequired, 'Which city?');
    else work.status(taskStates.completed, 'Oslo it is');
  });
  const [tool] = await openAgentSkills(ports, { endpoint: url, cachedAgentCard: card(skill('a')) }, signal);
  expect(await called(tool, { message: 'Weather' }, signal)).toEqual({
    output: { text: 'Which city?', state: 'input-required' },
  });
  expect(await called(tool, { message: 'Oslo' }, signal)).toEqual({ output: 'Oslo it is' });
  expect(tasks[1]).toBe(tasks[0]);
});

test('a skill that fails names the tool', async () => {
  const { url } = await web(() => ({ status: 500, body: 'x' }));
  const config = { endpoint: url, retryCount: 0, cachedAgentCard: card(skill('a')) };
  const [tool] = await openAgentSkills(ports, config, signal);
  expect(await stepFailureMessage(called(tool, { message: 'x' }, signal))).toBe(
    'The tool Skill_a failed: The agent answered 500: x. The outcome is unknown: it may have taken effect, so it is not repeated by itself',
  );
});
