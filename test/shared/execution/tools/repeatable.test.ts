import { expect, test } from 'vitest';
import { builtinTools } from '../../../../shared/domain/tools/builtin/index.ts';
import { openTools } from '../../../../shared/execution/tools/open-tools.ts';
import { called } from '../../../support/files/runnable-tools.ts';
import { jsonWebAnswer, web } from '../../../support/servers/web.ts';
import { storedTool, toolId, worldWith } from './run-tool.ts';

const { signal } = new AbortController();
const call = (id: string) => ({ id, emit: () => {} });
const opened = async (toolType: string, config: Record<string, unknown>) => {
  const [tool] = await openTools(worldWith([storedTool({ toolType, config })]), [toolId()], {
    permissions: null,
  });
  if (!tool) throw new Error('No tool');
  return tool;
};

test.each<[string, Record<string, unknown>, boolean]>([
  ['custom', { code: '1' }, true],
  ['external', { url: 'https://a.example' }, true],
  ['external', { url: 'https://a.example', method: 'GET' }, true],
  ['external', { url: 'https://a.example', method: 'PUT' }, false],
  ['external', { url: 'https://a.example', method: 'DELETE' }, false],
  ['graphql', { url: 'https://a.example', query: '{ a }' }, false],
  ['flow', { flowId: 'f' }, false],
  ['local', {}, false],
  ['mcp', { url: 'https://a.example', toolName: 'it' }, false],
  // Its run goes on from its last fact.
  ['subagent', { agentId: 'a' }, true],
])('an interrupted call of %s %j may be repeated: %s', async (type, config, repeatable) => {
  expect((await opened(type, config)).repeatable).toBe(repeatable);
});

test('an interrupted call of a built-in tool may be repeated if the tool only reads', async () => {
  const ids = Object.keys(builtinTools).map((id) => `builtin:${id}`);
  const tools = await openTools(worldWith([]), ids, { permissions: null });
  const unrepeatable = tools.flatMap(({ id, repeatable }) => (repeatable ? [] : [id]));
  expect(unrepeatable).toEqual(['builtin:record-upsert', 'builtin:send-email']);
});

test.each([
  ['external', { method: 'POST', body: 'x' }],
  ['graphql', { query: '{ a }' }],
])('%s sends the identity of a call, unless its author set the header', async (type, config) => {
  const { url, asked } = await web(() => jsonWebAnswer({ data: { a: 1 } }));
  const tool = await opened(type, { url, ...config });
  await called(tool, {}, signal, call('{{ x }}'));
  await called(tool, {}, signal);
  const own = await opened(type, { url, ...config, headers: { 'Idempotency-Key': 'mine' } });
  await called(own, {}, signal, call('call_1'));
  expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual(['{{ x }}', undefined, 'mine']);
});
