import { expect, test } from 'vitest';
import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import type { StoredTool } from '../../../../shared/adapters/ports/tools-port.ts';
import { engineEvents } from '../../../support/flows/engine-events.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { fakePorts, flowSteps } from '../engine/engine-world.ts';
import { storedTool, toolId, worldWith } from '../tools/run-tool.ts';
import { configProblems, runStep } from './run-step.ts';

const double = storedTool({
  name: 'Double',
  parametersSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  config: { code: 'n * 2' },
});

const call = (tools: StoredTool[], config: object, variables = {}, ports: Partial<Ports> = {}) =>
  runStep(
    'tool-call',
    { toolId: toolId(), ...config },
    {
      variables,
      ports: { tools: worldWith(tools).tools, ...ports },
    },
  );

test('runs a tool with rendered arguments; a single reference keeps its type', async () => {
  expect(await call([double], { parameters: { n: '{{ size }}' } }, { size: 21 })).toEqual({ output: 42 });
});

test('runs a built-in tool', async () => {
  const config = { toolId: 'builtin:date-time', parameters: { operation: 'convert', date: '{{ day }}' } };
  expect((await call([], config, { day: '2026-01-01' })).output).toMatchObject({ weekday: 'Thursday' });
});

test('fails with the name of the tool: arguments that do not fit, a tool that is gone', async () => {
  const { message } = await stepFailure(call([double], { parameters: { n: 'x{{ size }}' } }, { size: 1 }));
  expect(message).toBe('The arguments do not fit the tool Double: n: Expected number');
  expect((await stepFailure(call([], {}))).message).toContain(`There is no tool ${toolId()}`);
});

test.each([
  [{ toolId: '{{ tool }}' }, 'toolId: Expected the id of a tool, tool_<26 characters>, or builtin:<id>'],
  [
    { toolId: 'builtin:date-time', parameters: [] },
    'parameters: Invalid input: expected record, received array',
  ],
  [{ toolId: 'builtin:date-time', parameters: { a: ['{{ x'] } }, 'parameters.a.0: '],
])('a config that cannot be saved: %j', async (config, problem) => {
  expect((await configProblems('tool-call', config)).join()).toContain(problem);
});

const value = 'the-value-of-the-secret';

test('the value of a tool’s secret does not leave the step', async () => {
  const tool = storedTool({
    toolType: 'external',
    config: { url: 'https://api.example.com/{{secret:KEY}}', headers: { authorization: '{{secret:KEY}}' } },
  });
  const ports = fakePorts({
    tools: worldWith([tool]).tools,
    secrets: async (keys) => new Map(keys.map((key) => [key, { value, version: '1' }])),
    async fetch({ url, headers }) {
      expect(headers.authorization).toBe(value);
      const text = JSON.stringify({ url, seen: headers.authorization });
      return { status: 200, headers: { echo: value }, url, bytes: Buffer.from(text), text };
    },
  });
  const steps = flowSteps({ type: 'tool-call', name: 'call', config: { toolId: toolId() } });
  const events = await Array.fromAsync(
    engineEvents({ steps, variables: {}, ports, signal: new AbortController().signal }),
  );
  expect(events.at(-1)).toMatchObject({ success: true, output: { seen: '[secret:KEY]' } });
  expect(JSON.stringify(events)).not.toContain(value);
});

test('a local tool fails where no caller can execute it', async () => {
  const ports = fakePorts({ tools: worldWith([storedTool({ toolType: 'local' })]).tools });
  const steps = flowSteps({ type: 'tool-call', name: 'call', config: { toolId: toolId() } });
  const events = await Array.fromAsync(
    engineEvents({ steps, variables: {}, ports, signal: new AbortController().signal }),
  );
  expect(events.at(-1)).toMatchObject({
    success: false,
    error: expect.stringContaining('The caller of a run executes local tools'),
  });
});
