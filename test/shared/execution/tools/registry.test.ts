import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFiller } from '../../../../shared/adapters/templates/filler.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { builtinTools } from '../../../../shared/domain/tools/builtin/index.ts';
import { toolTypeNames } from '../../../../shared/domain/tools/tool-types/index.ts';
import { findRuntimeType } from '../../../../shared/domain/tools/tool-types/runtime-types.ts';
import { loadBuiltinRunner } from '../../../../shared/execution/tools/builtin/index.ts';
import { findToolRunner } from '../../../../shared/execution/tools/types/index.ts';
import { testSandbox } from '../../../support/flows/sandbox.ts';

const url = 'https://example.com/{{ city }}';

/** A config of each type that decides as much as possible. */
const configs: Record<string, object> = {
  flow: { flowId: newId('flow') },
  custom: { code: 'return input.city', timeoutMs: 1_000 },
  external: { url, method: 'POST', body: { city: '{{ city }}' }, responseFormat: 'json', timeoutMs: 1_000 },
  graphql: { url, query: '{ weather }', timeoutMs: 1_000 },
  mcp: { url, toolName: 'weather', timeoutMs: 1_000 },
  local: {},
  subagent: { agentId: newId('agent') },
  advisor: { model: 'm' },
  search: { provider: 'exa' },
};
const types = [...toolTypeNames, 'advisor', 'search'];

const args = { city: 'Oslo', query: 'Weather?' };
function planOf(type: string, config: object) {
  const variables = { ...args, input: args };
  const call = {
    name: 'it',
    config,
    args,
    variables,
    ...createFiller(variables, testSandbox),
    ports: { sandbox: testSandbox },
  };
  return findToolRunner(type)?.plan(call);
}

test.each(types)('%s says what a call does before it does it', async (type) => {
  const { shown: _, ...runner } = findToolRunner(type) ?? {};
  expect(Object.keys(runner).toSorted()).toEqual(['perform', 'plan', 'repeatable']);
  const config = configs[type] ?? {};
  expect(findRuntimeType(type)?.config.safeParse(config).error).toBeUndefined();
  const plan = await planOf(type, config);
  // JSON that says what is done with which arguments, and not for how long.
  expect(JSON.parse(JSON.stringify(plan?.request))).toEqual(plan?.request);
  expect(JSON.stringify(plan?.request)).toContain(type === 'search' ? 'Weather?' : 'Oslo');
  const longer = 'timeoutMs' in config ? { ...config, timeoutMs: 2_000 } : config;
  expect(await planOf(type, longer)).toEqual(plan);
});

test('a plan names the models and agents whose meaning is a part of it', async () => {
  expect(await planOf('advisor', { model: 'm' })).toMatchObject({ models: ['m'] });
  expect(await planOf('subagent', { agentId: 'agent_1' })).toMatchObject({ agents: ['agent_1'] });
});

test.each(Object.keys(builtinTools))('the built-in tool %s has its arguments as its plan', async (id) => {
  expect(Object.keys(await loadBuiltinRunner(id))).toEqual(['perform']);
});

test('calls are made in one place, whoever makes them', () => {
  const root = join(import.meta.dirname, '../../../..');
  const files = globSync('{shared,functions}/**/*.ts', { cwd: root }).map((file) => ({
    file,
    text: readFileSync(join(root, file), 'utf8'),
  }));
  const withPlans = files.filter(({ text }) => /\b\w*tool\??\.plan\(/i.test(text)).map(({ file }) => file);
  expect(withPlans.toSorted()).toEqual([
    // Passes a plan on with more arguments.
    'shared/execution/agent-runs/agent-tools.ts',
    'shared/execution/tools/call-tool.ts',
  ]);
  const callers = files
    .filter(({ text }) => /import \{[^}]*\bcallTool\b[^}]*\} from '.*tools\/call-tool.ts'/.test(text))
    .map(({ file }) => file);
  expect(callers.toSorted()).toEqual([
    'shared/execution/agent-loop/tool-calls.ts',
    'shared/execution/agent-runs/agent-tools.ts',
    'shared/execution/dispatch/tool-executor.ts',
    'shared/execution/steps/tool-call.ts',
  ]);
});
