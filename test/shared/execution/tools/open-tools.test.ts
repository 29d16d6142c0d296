import { expect, test } from 'vitest';
import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import { noSpending } from '../../../../shared/adapters/ports/spending.ts';
import { openRuntimeTool, openTools } from '../../../../shared/execution/tools/open-tools.ts';
import { called } from '../../../support/files/runnable-tools.ts';
import { stepFailureMessage, storedTool, toolId, worldWith } from './run-tool.ts';

const anyone = { permissions: null };
const { signal } = new AbortController();

test('opens stored and built-in tools in their order, with one read and unique valid names', async () => {
  const names = ['Get weather!', 'get weather', 'Get weather', '☃', 'Récit'];
  const tools = names.map((name, n) => storedTool({ id: toolId(n), name, config: { code: '1' } }));
  const reads: string[][] = [];
  const world = worldWith(tools);
  const tallied = {
    ...world,
    tools: {
      find(asked: readonly string[]) {
        reads.push([...asked]);
        return world.tools.find(asked);
      },
    },
  };
  const ids = ['builtin:date-time', ...tools.map(({ id }) => id), toolId(0)];
  const opened = await openTools(tallied, ids, anyone);
  expect(opened.map(({ name }) => name)).toEqual([
    'date-time',
    'Get_weather',
    'get_weather',
    'Get_weather_2',
    'tool',
    'Recit',
    'Get_weather_3',
  ]);
  expect(opened.map(({ id }) => id)).toEqual(ids);
  expect(reads).toHaveLength(1);
});

test('a tool that is missing or inactive says what to do', async () => {
  const world = worldWith([storedTool({ id: toolId(1), isActive: false })]);
  const open = (id: string) => stepFailureMessage(openTools(world, [id], anyone));
  expect(await open(toolId(9))).toContain('There is no tool');
  expect(await open(toolId(1))).toContain('set isActive to true');
  expect(await open('builtin:nothing')).toContain('GET /v1/tools/builtin');
});

test('a tool of the type subagent gives an agent its message, or all arguments', async () => {
  const tool = { toolType: 'subagent', config: { agentId: 'a' }, parametersSchema: { type: 'object' } };
  const run: Ports['agents']['run'] = async ({ agent, message }) => ({
    executionId: 'e',
    output: `${agent} got ${message}`,
    spending: noSpending,
    error: message === 'fail' ? 'It failed' : null,
  });
  const [opened] = await openTools(
    { ...worldWith([storedTool(tool)]), agents: { run, versionOf: async (id) => id } },
    [toolId()],
    anyone,
  );
  expect(await called(opened, { message: 'hello' }, signal)).toEqual({ output: 'a got hello' });
  expect(await called(opened, { n: 1 }, signal)).toEqual({ output: 'a got {"n":1}' });
  expect(await stepFailureMessage(called(opened, { message: 'fail' }, signal))).toContain('It failed');
});

test.each([
  [['FLOWS:EXECUTE'], 'TOOLS:EXECUTE'],
  [['TOOLS:EXECUTE'], 'FLOWS:EXECUTE'],
  [['TOOLS:*'], 'FLOWS:EXECUTE'],
])('a caller with %j may not run a flow tool: it also requires %s', async (permissions, missing) => {
  const config = { flowId: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn' };
  const world = worldWith([storedTool({ toolType: 'flow', config })]);
  await expect(openTools(world, [toolId()], { permissions })).rejects.toThrow(
    `Missing required permission: ${missing}`,
  );
  await openTools(world, [toolId()], { permissions: ['TOOLS:EXECUTE', 'FLOWS:*'] });
});

test('arguments that do not fit are named with their paths, and the tool does not run', async () => {
  const tool = storedTool({
    toolType: 'flow',
    parametersSchema: { properties: { n: { type: 'integer' } }, required: ['n'] },
    config: { flowId: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn' },
  });
  const [opened] = await openTools(worldWith([tool]), [tool.id], anyone);
  for (const args of [{ n: '5' }, {}, 'n', null, []]) {
    expect(await stepFailureMessage(called(opened, args, signal))).toMatch(/do not fit the tool The_tool: /);
  }
});

test('an inline definition runs like a stored tool; an invalid one names its problems', async () => {
  const definition = {
    name: 'Double',
    description: 'Doubles',
    toolType: 'custom',
    parametersSchema: { type: 'object', properties: { n: { type: 'number' } } },
    config: { code: 'n * 2' },
  };
  const world = worldWith([]);
  const tool = await openRuntimeTool(world, definition, anyone);
  expect(await called(tool, { n: 4 }, signal)).toEqual({ output: 8 });
  const invalid = { ...definition, config: { script: '1' }, parametersSchema: { type: 'text' } };
  const failure = await stepFailureMessage(openRuntimeTool(world, invalid, anyone));
  expect(failure).toMatch(/config\.code: .*parametersSchema\.type: /);
  expect(
    await stepFailureMessage(openRuntimeTool(world, { ...definition, toolType: 'magic' }, anyone)),
  ).toContain('magic');
});
