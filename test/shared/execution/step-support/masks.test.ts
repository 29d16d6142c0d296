import { expect, test } from 'vitest';
import type { A2aEvent, A2aRequest } from '../../../../shared/adapters/ports/a2a-port.ts';
import type { McpToolList } from '../../../../shared/adapters/ports/mcp-port.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { toFlowingValue } from '../../../../shared/core/redaction/hidden.ts';
import { openMasks, redactA2a, redactMcp } from '../../../../shared/execution/step-support/masks.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';

const value = 'correct horse battery';
const values = new Map([['KEY', value]]);

/** Masks that have opened these secrets. */
async function masksOf(secrets: Record<string, string>, more: Partial<typeof emptyWorld> = {}) {
  const opened = new Map(Object.entries(secrets).map(([key, text]) => [key, { value: text, version: '1' }]));
  const masks = openMasks({ ...emptyWorld, secrets: async () => opened, ...more });
  await masks.ports.secrets(Object.keys(secrets));
  return masks;
}

const stage = { STAGE: 'production', MAILBOX: 'orders@example.com', KEY: value };
const named = Object.keys(stage);

test('an output with a value is two: one to show, one that flows on', async () => {
  const { outcome } = await masksOf(stage);
  const output = { note: [`It is ${value}`], other: 1 };
  const masked = outcome({ output }, { keys: [], use: 'text' });
  expect(masked.output).toEqual({ note: ['It is [secret:KEY]'], other: 1 });
  expect(toFlowingValue(masked)).toBe(output);
  const plain = { output: { note: 'nothing' } };
  expect(outcome(plain, { keys: named, use: 'text' })).toEqual(plain);
});

test.each([
  [
    'credentials',
    'production line 7, and the production, was stopped',
    'production line 7, and the production, was stopped',
  ],
  ['credentials', 'production', '[secret:STAGE]'],
  ['credentials', 'Bearer production', 'Bearer [secret:STAGE]'],
  [
    'credentials',
    '{"stage":"production","of":"production line"}',
    '{"stage":"[secret:STAGE]","of":"production line"}',
  ],
  [
    'credentials',
    'https://example.com/production?box=orders@example.com',
    'https://example.com/[secret:STAGE]?box=[secret:MAILBOX]',
  ],
  ['credentials', 'Write to orders@example.com today', 'Write to orders@example.com today'],
  ['credentials', `Basic ${Buffer.from('me:production').toString('base64')}`, 'Basic [secret:STAGE]'],
  ['credentials', `The key is ${value}.`, 'The key is [secret:KEY].'],
  ['text', 'My stage is production', 'My stage is [secret:STAGE]'],
] as const)('in %s of who names the secrets, "%s" becomes "%s"', async (use, text, shown) => {
  const { redactor } = await masksOf(stage);
  const clean = redactor({ keys: named, use }).text(text);
  if (text.startsWith('Basic')) expect(clean).not.toContain(text.slice(-10));
  else expect(clean).toBe(shown);
});

test('who names no secret has ordinary words, and no values that no text has by chance', async () => {
  const { redactor } = await masksOf(stage);
  const text = `production orders@example.com ${value}`;
  expect(redactor({ keys: [], use: 'text' }).text(text)).toBe('production orders@example.com [secret:KEY]');
});

test('masks learn what tools and flows inside open through their ports', async () => {
  const outer = openMasks({
    ...emptyWorld,
    secrets: async () => new Map([['KEY', { value, version: '1' }]]),
  });
  expect(outer.hasAny()).toBe(false);
  await openMasks(outer.ports).ports.secrets(['KEY']);
  expect(outer.redactor({ keys: [], use: 'text' }).text(value)).toBe('[secret:KEY]');
  expect(outer.ports.shown(`x ${value}`)).toBe('x [secret:KEY]');
});

test('an answer keeps values; one that is an error does not, because errors cut it', async () => {
  const answers = [200, 400];
  const fetch = async () => ({
    status: answers.shift() ?? 0,
    headers: { 'x-echo': value },
    url: 'https://example.com',
    bytes: Buffer.from(value),
    text: value,
  });
  const { ports } = await masksOf(stage, { fetch });
  const request = { url: '', method: 'GET' as const, headers: {}, timeoutMs: 1, signal: AbortSignal.any([]) };
  expect(await ports.fetch(request)).toMatchObject({ text: value, headers: { 'x-echo': value } });
  const refused = await ports.fetch(request);
  expect(refused).toMatchObject({ text: '[secret:KEY]', headers: { 'x-echo': '[secret:KEY]' } });
  expect(Buffer.from(refused.bytes).toString()).toBe('[secret:KEY]');
});

test('errors have no values, and keep what they say of a retry', async () => {
  const { error } = await masksOf(stage);
  const failed = new StepError(`Not ${value}`, { retryable: true, code: 'OUTCOME_UNKNOWN' });
  expect(error(failed, { keys: [], use: 'text' })).toMatchObject({
    message: 'Not [secret:KEY]',
    retryable: true,
    code: 'OUTCOME_UNKNOWN',
  });
});

test('the texts of an MCP server are redacted, in results and failures', async () => {
  const answers = [{ output: { a: [value] } }, { failure: `x ${value}` }, { missing: [value] }];
  const mcp = {
    listTools: async () => ({
      tools: [{ name: 'it', description: value, parameters: { title: value }, repeatable: true }],
      omitted: 0,
    }),
    callTool: async () => answers.shift() ?? { missing: [] },
  };
  const { callTool, listTools } = redactMcp({ ...emptyWorld, mcp }, values);
  const call = { url: '', headers: {}, timeoutMs: 1, signal: new AbortController().signal };
  const answer = () => callTool({ ...call, toolName: 'it', args: {} });
  expect(await answer()).toEqual({ output: { a: ['[secret:KEY]'] } });
  expect(await answer()).toEqual({ failure: 'x [secret:KEY]' });
  expect(await answer()).toEqual({ missing: ['[secret:KEY]'] });
  const { tools } = (await listTools(call)) as McpToolList;
  expect(tools).toMatchObject([{ description: '[secret:KEY]', parameters: { title: '[secret:KEY]' } }]);
});

test('what an agent of another server says is redacted, across its deltas', async () => {
  const said: A2aEvent[] = [
    { type: 'status', state: 'working', text: value },
    ...[...value].map((text) => ({ type: 'text-delta' as const, text })),
    { type: 'end', state: 'completed', text: value, artifacts: [], contextId: value, taskId: undefined },
  ];
  const a2a = {
    async *send() {
      yield* said;
    },
  };
  const { send } = redactA2a(a2a, values);
  const events = await Array.fromAsync(send({} as A2aRequest));
  expect(JSON.stringify(events)).not.toContain('horse');
  const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
  expect(deltas).toBe('[secret:KEY]');
  expect(events.at(-1)).toMatchObject({ type: 'end', text: '[secret:KEY]', contextId: '[secret:KEY]' });
});
