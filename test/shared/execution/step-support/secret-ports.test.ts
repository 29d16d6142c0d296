import { expect, test } from 'vitest';
import type { A2aEvent, A2aRequest } from '../../../../shared/adapters/ports/a2a-port.ts';
import type { McpToolList } from '../../../../shared/adapters/ports/mcp-port.ts';
import type { ModelEvent, ModelPort } from '../../../../shared/adapters/ports/model-port.ts';
import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import { createRedactor } from '../../../../shared/core/redaction/redactor.ts';
import {
  type PortRedactions,
  portRedactions,
  redactedPorts,
} from '../../../../shared/execution/step-support/secret-ports.ts';
import { noNames } from '../../../support/models/model-ports.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';

const redactor = createRedactor(new Map([['KEY', 'correct horse battery']]));

interface WithFax extends Ports {
  fax: () => Promise<string>;
}

test('a port without a redaction decision does not compile and is not passed on', () => {
  // @ts-expect-error: `fax` is missing.
  const decided: PortRedactions<WithFax> = portRedactions;
  expect(decided).not.toHaveProperty('fax');
  const ports: WithFax = { ...emptyWorld, fax: async () => 'sent' };
  const redacted = redactedPorts(ports, redactor);
  expect(Object.keys(redacted).toSorted()).toEqual(Object.keys(portRedactions).toSorted());
  expect(redacted).not.toHaveProperty('fax');
});

test('a model’s text, reasoning and tool calls are redacted separately, across their pieces', async () => {
  const value = 'correct horse battery';
  const pieces = (type: 'text-delta' | 'reasoning-delta') => [...value].map((text) => ({ type, text }));
  const call = { type: 'tool-call' as const, id: 'c', name: 'send' };
  const written: ModelEvent[] = [
    ...pieces('text-delta'),
    ...pieces('reasoning-delta'),
    ...[...`{"key":"${value}"}`].map((text) => ({ ...call, type: 'tool-call-delta' as const, text })),
    { ...call, input: { key: value }, text: `{"key":"${value}"}` },
    { type: 'source', id: 's', title: value, url: `https://example.com/${encodeURIComponent(value)}` },
    { type: 'text-delta', text: ' corr' },
    {
      type: 'finish',
      text: `${value} corr`,
      message: { role: 'assistant', content: [{ ...call, input: { key: value } }] },
      stopReason: 'stop',
      modelUsed: 'm',
      keySource: 'platform',
      usage: null,
      cost: null,
    },
  ];
  const model: ModelPort = {
    ...noNames,
    async *stream() {
      yield* written;
    },
  };
  const redacted = redactedPorts({ ...emptyWorld, model }, redactor);
  const request = { model: 'm', messages: [], streamed: true, signal: new AbortController().signal };
  const events = await Array.fromAsync(redacted.model.stream(request));
  expect(JSON.stringify(events)).not.toContain('horse');
  const textOf = (type: string) =>
    events.flatMap((event) => (event.type === type && 'text' in event ? [event.text] : [])).join('');
  expect(textOf('text-delta')).toBe('[secret:KEY] corr');
  expect(textOf('reasoning-delta')).toBe('[secret:KEY]');
  expect(textOf('tool-call-delta')).toBe('{"key":"[secret:KEY]"}');
  expect(events.filter(({ type }) => !type.endsWith('-delta'))).toMatchObject([
    { type: 'tool-call', input: { key: '[secret:KEY]' }, text: '{"key":"[secret:KEY]"}' },
    { type: 'source', title: '[secret:KEY]' },
    { type: 'finish', text: '[secret:KEY] corr', message: { content: [{ input: { key: '[secret:KEY]' } }] } },
  ]);
});

test('the texts of an MCP server are redacted, in results and failures', async () => {
  const value = 'correct horse battery';
  const answers = [{ output: { a: [value] } }, { failure: `x ${value}` }, { missing: [value] }];
  const mcp = {
    listTools: async () => ({
      tools: [{ name: 'it', description: value, parameters: { title: value }, repeatable: true }],
      omitted: 0,
    }),
    callTool: async () => answers.shift() ?? { missing: [] },
  };
  const { callTool, listTools } = redactedPorts({ ...emptyWorld, mcp }, redactor).mcp;
  const call = { url: '', headers: {}, timeoutMs: 1, signal: new AbortController().signal };
  const answer = () => callTool({ ...call, toolName: 'it', args: {} });
  expect(await answer()).toEqual({ output: { a: ['[secret:KEY]'] } });
  expect(await answer()).toEqual({ failure: 'x [secret:KEY]' });
  expect(await answer()).toEqual({ missing: ['[secret:KEY]'] });
  const { tools } = (await listTools(call)) as McpToolList;
  expect(tools).toMatchObject([{ description: '[secret:KEY]', parameters: { title: '[secret:KEY]' } }]);
});

test('what an agent of another server says is redacted, across its deltas', async () => {
  const value = 'correct horse battery';
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
  const { send } = redactedPorts({ ...emptyWorld, a2a }, redactor).a2a;
  const events = await Array.fromAsync(send({} as A2aRequest));
  expect(JSON.stringify(events)).not.toContain('horse');
  const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
  expect(deltas).toBe('[secret:KEY]');
  expect(events.at(-1)).toMatchObject({ type: 'end', text: '[secret:KEY]', contextId: '[secret:KEY]' });
});
