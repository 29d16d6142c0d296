import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../../shared/adapters/ports/model-port.ts';
import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import type { ToolDefinition } from '../../../../shared/adapters/ports/tools-port.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { toolTypeNames } from '../../../../shared/domain/tools/tool-types/index.ts';
import { openRuntimeTool } from '../../../../shared/execution/tools/open-tools.ts';
import { called } from '../../../support/files/runnable-tools.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { fakeModel } from '../../../support/models/model-ports.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';

const { signal } = new AbortController();
const text = { type: 'object', properties: { question: { type: 'string' }, query: { type: 'string' } } };
const open = (given: Partial<ToolDefinition>, ports: Partial<Ports> = {}) =>
  openRuntimeTool(
    { ...emptyWorld, ...ports },
    { name: 'The tool', description: 'x', toolType: 'advisor', parametersSchema: text, config: {}, ...given },
    { permissions: null },
  );

test('a tool of the type advisor asks its model', async () => {
  const asked: ModelRequest[] = [];
  const model = fakeModel((request) => {
    asked.push(request);
    return 'Yes.';
  });
  const tool = await open({ config: { model: 'wise', systemPrompt: 'Be brief.' } }, { model });
  expect(tool).toMatchObject({ id: 'runtime:The tool', type: 'advisor' });
  expect(await called(tool, { question: 'Really?' }, signal)).toEqual({ output: 'Yes.' });
  expect(asked[0]).toMatchObject({
    model: 'wise',
    messages: [{ content: 'Be brief.' }, { role: 'user', content: 'Really?' }],
  });
  await called(tool, { question: 'a', query: 'b' }, signal);
  expect(asked[1]?.messages[1]).toMatchObject({ content: '{"question":"a","query":"b"}' });
});

test('a tool of the type search searches the web, with its provider or the first configured one', async () => {
  const urls: string[] = [];
  const ports: Partial<Ports> = {
    async searchAccount(provider) {
      if (provider === 'exa') throw new StepError('exa is not configured');
      return { key: 'k', baseUrl: `https://${provider}.example.com` };
    },
    async fetch({ url, body }) {
      urls.push(`${url} ${body ?? ''}`);
      const found = JSON.stringify({ results: [{ title: 'T', url: 'https://a/1', content: 'C' }] });
      return { status: 200, headers: {}, url, bytes: Buffer.from(found), text: found };
    },
  };
  const tool = await open({ toolType: 'search', config: { maxResults: 2 } }, ports);
  expect(await called(tool, { query: 'weather' }, signal)).toEqual({
    output: [{ title: 'T', url: 'https://a/1', snippet: 'C' }],
  });
  expect(urls[0]).toContain('tavily.example.com');
  expect(urls[0]).toContain('"max_results":2');
  const exa = await open({ toolType: 'search', config: { provider: 'exa' } }, ports);
  expect((await stepFailure(called(exa, { query: 'x' }, signal))).message).toContain('exa is not configured');
  expect((await stepFailure(called(tool, { question: 'x' }, signal))).message).toContain(
    'needs the argument query',
  );
});

test.each([
  ['advisor', {}, 'config.model'],
  ['advisor', { model: 'm', more: 1 }, 'more'],
  ['search', { provider: 'altavista' }, 'config.provider'],
  ['search', { maxResults: 21 }, 'config.maxResults'],
  ['subagent', {}, 'config.agentId'],
  ['teleport', {}, 'unknown type teleport'],
  ['constructor', {}, 'unknown type constructor'],
])('a tool of the type %s with the config %j is rejected', async (toolType, config, words) => {
  expect((await stepFailure(open({ toolType, config }))).message).toContain(words);
});

test('these types cannot be stored', () => {
  expect(toolTypeNames).not.toContain('advisor');
  expect(toolTypeNames).not.toContain('search');
});
