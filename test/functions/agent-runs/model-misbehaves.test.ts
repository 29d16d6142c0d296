import { expect, test } from 'vitest';
import { ClientEvent } from '../../../shared/protocols/chat/events/client-event.ts';
import { SurfaceEvent } from '../../../shared/protocols/surface/outward.ts';
import { calls, createScriptedAgent, followed, scripted, streamed } from '../../support/agents/agent-runs.ts';
import { play, type Scenario } from '../../support/agents/agent-scenario.ts';
import { createTool } from '../../support/files/tools.ts';
import { pricedModel } from '../../support/models/model-configs.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const calculator = { toolIds: ['builtin:calculator'] };
const tools = (more: object = {}) => ({ tools: { ...calculator, ...more } });

/** A stored tool of JavaScript. */
const having =
  (changes: object, more: { toolIds?: string[]; approval?: object } = {}) =>
  async (tenant: Tenant) => {
    const { id } = await createTool(tenant, { parametersSchema: { type: 'object' }, ...changes });
    const { toolIds = [], ...others } = more;
    return tools({ toolIds: [id, 'builtin:calculator', ...toolIds], ...others });
  };
const fine: [string, string] = ['calculator', 'completed'];
const done = { text: 'done' };

const local = { name: 'thermometer', toolType: 'local', config: {} };

/** A model that calls the first tool without end. */
const endless = { model: 'generic-openai/tool-lover', loopConfig: { maxTurns: 100 } };
const image = (url: string) => ({ type: 'image', image: url });

const table: Scenario[] = [
  {
    name: 'two calls with one id',
    config: tools(),
    script: [
      {
        toolCalls: ['1 + 1', '2 + 2'].map((expression) => ({
          id: 'same',
          name: 'calculator',
          arguments: { expression },
        })),
      },
      done,
    ],
    events: 'turn tool tool turn end',
    iterations: 2,
    calls: [fine, fine],
  },
  {
    name: 'a name in another case',
    config: tools(),
    script: [calls(['Calculator', { expression: '1' }]), done],
    events: 'turn tool turn end',
    iterations: 2,
    calls: [['Calculator', 'There is no tool Calculator']],
  },
  ...[[1], 'text', 5, null].map(
    (args): Scenario => ({
      name: `arguments that are no object: ${JSON.stringify(args)}`,
      config: tools(),
      script: [calls(['calculator', JSON.stringify(args)]), done],
      events: 'turn tool turn end',
      iterations: 2,
      calls: [['calculator', 'object']],
    }),
  ),
  {
    name: 'no arguments at all',
    config: tools(),
    script: [calls(['calculator', '']), done],
    events: 'turn tool turn end',
    iterations: 2,
    calls: [['calculator', 'expression']],
  },
  {
    name: 'arguments that do not fit a tool of the caller: it is not asked',
    config: async (tenant) => {
      const parametersSchema = { type: 'object', properties: { room: { type: 'string' } } };
      const { id } = await createTool(tenant, { ...local, parametersSchema });
      return { tools: { toolIds: [id] } };
    },
    script: [calls(['thermometer', { room: 1 }], ['thermometer', '[]'], ['thermometer']), done],
    answers: [{ output: 21 }],
    events: 'turn tool tool await tool turn end',
    iterations: 2,
    calls: [
      ['thermometer', 'room'],
      ['thermometer', 'object'],
      ['thermometer', 'completed'],
    ],
  },
  {
    name: 'arguments of 1 MB',
    config: tools({ approval: { require: true } }),
    script: [calls(['calculator', { expression: '1 + '.repeat(250_000) }]), done],
    answers: ['approve'],
    events: 'turn approval await decision tool turn end',
    iterations: 2,
    calls: [['calculator', 'expression']],
  },
  {
    name: 'cut off in the middle of a call',
    config: tools(),
    script: [
      {
        toolCalls: [
          { name: 'calculator', arguments: { expression: '1' } },
          { name: 'calculator', arguments: '{"expression": "1 +' },
        ],
        finishReason: 'length',
      },
      done,
    ],
    events: 'turn tool tool turn end',
    iterations: 2,
    calls: [fine, ['calculator', 'cut off']],
  },
  {
    name: 'cut off before the arguments of a call, all of which are optional',
    config: having({ name: 'wipe', config: { code: 'return { wiped: input.account ?? "all" }' } }),
    script: [{ toolCalls: [{ name: 'wipe', arguments: '' }], finishReason: 'length' }, done],
    events: 'turn tool turn end',
    iterations: 2,
    calls: [['wipe', 'cut off']],
  },
  {
    name: 'a complete call before the limit of a response',
    config: tools(),
    script: [
      { toolCalls: [{ name: 'calculator', arguments: { expression: '1' } }], finishReason: 'length' },
      done,
    ],
    events: 'turn tool turn end',
    iterations: 2,
    calls: [fine],
  },
  {
    name: 'calls side by side: one fails, one is denied, one is the caller’s, one works',
    config: async (tenant) => {
      const { id } = await createTool(tenant, local);
      const failing = { name: 'page', config: { code: 'throw new Error("out of paper")' } };
      return having(failing, { toolIds: [id], approval: { require: ['calculator'] } })(tenant);
    },
    script: [calls(['page'], ['calculator', { expression: '1' }], ['thermometer'], ['clock']), done],
    answers: [{ deny: 'no' }, { output: 21 }],
    events: 'turn tool tool approval await await decision await tool tool turn end',
    iterations: 2,
    result: 'done',
    calls: [
      ['page', 'out of paper'],
      ['calculator', 'denied: no'],
      ['thermometer', 'completed'],
      ['clock', 'There is no tool'],
    ],
  },
  {
    name: 'an endless caller, up to the limit of one tool and then of all',
    config: {
      ...endless,
      tools: { ...calculator, maxToolCalls: 4, perToolLimits: { calculator: { maxCalls: 2 } } },
    },
    script: 'go',
    events: `${'turn tool '.repeat(4)}turn end`,
    iterations: 5,
    result: 'That is enough.',
    calls: [
      ...Array(2).fill(['calculator', 'expression']),
      ...Array(2).fill(['calculator', 'limit of 2 calls']),
    ],
  },
  {
    name: 'an endless caller, up to its costs',
    config: async (tenant) => ({
      model: await pricedModel(tenant, { input: 1, output: 1, tokensMax: 100, mapping: 'tool-lover' }),
      tools: { ...calculator, maxToolCalls: 100 },
      loopConfig: { maxTurns: 100, maxCost: 0.6 },
    }),
    script: 'x'.repeat(400),
    events: `${'turn tool '.repeat(3)}end`,
    iterations: 3,
    stopReason: 'max_cost',
    calls: Array(3).fill(['calculator', 'expression']),
  },
  {
    name: 'a tool that takes longer than the run may',
    config: having({ name: 'spin', config: { code: 'while (true);' } }),
    script: [calls(['spin']), done],
    options: { timeoutMs: 1_000 },
    events: 'turn tool end',
    iterations: 1,
    status: 'failed',
    stopReason: 'timeout',
    error: 'The run exceeded its time limit of 1 s',
    calls: [['spin', 'pending']],
  },
  {
    name: 'an image of an address that is not allowed',
    script: 'x',
    more: { messages: [{ role: 'user', content: [image('http://10.0.0.1/a.png')] }] },
    events: 'end',
    iterations: 0,
    status: 'failed',
    stopReason: 'error',
    error: expect.stringContaining('10.0.0.1'),
  },
];

test.for(table)('$name', (scenario) => play(scenario));

test('in a stream too: two calls with one id are two, and a call that was cut off does not run', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, tools());
  const same = (args: object | string) => ({ id: 'same', name: 'calculator', arguments: args });
  const toolCalls = [same({ expression: '1 + 1' }), same({ expression: '2 + 2' }), same('{"expression": "3')];
  const events = await streamed(tenant, agent.id, scripted({ toolCalls, finishReason: 'length' }, done));
  const ends = events.filter(({ type }) => type === 'tool_complete');
  expect(ends).toMatchObject([
    { success: false, error: expect.stringContaining('cut off') },
    { success: true, result: { number: 2 } },
    { success: true, result: { number: 4 } },
  ]);
  const started = events.filter(({ type }) => type === 'tool_start').map(({ toolCallId }) => toolCallId);
  expect(new Set(started).size).toBe(3);
  expect(ends.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(started.toSorted());
});

test('a response that took several attempts tells each, also when the run is read later', async () => {
  const tenant = await newTenant();
  const spare = { type: 'model', model: 'generic-openai/scripted-spare', delay: 20 };
  const agent = await createScriptedAgent(tenant, {
    errorHandling: { onError: 'fallback', fallbacks: [{ type: 'retry' }, spare] },
  });
  const script = scripted({ status: 400, message: 'no such luck' }, { text: 'at last' });
  const live = await streamed(tenant, agent.id, script);
  const turn = live.find(({ type }) => type === 'turn_complete');
  expect(turn).toMatchObject({
    fallback: 'model',
    attempts: [
      { type: 'initial', status: 'failed', error: expect.stringContaining('no such luck') },
      { type: 'retry', status: 'failed', durationMs: expect.any(Number) },
      { type: 'model', model: spare.model, delayMs: 20, status: 'completed' },
    ],
  });
  const later = await followed(tenant, agent.id, String(turn?.executionId));
  expect(later.find(({ type }) => type === 'turn_complete')).toEqual(turn);
});

test('if every attempt fails, the end of the run tells them, and outsiders do not learn of them', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    model: 'generic-openai/refusing',
    errorHandling: { onError: 'fallback', fallbacks: [{ type: 'retry' }] },
  });
  const end = (await streamed(tenant, agent.id, 'Hello')).at(-1);
  const attempts = [
    { type: 'initial', status: 'failed', error: expect.stringContaining('The prompt was refused') },
    { type: 'retry', status: 'failed', error: expect.stringContaining('The prompt was refused') },
  ];
  expect(end).toMatchObject({ type: 'execution_complete', success: false, attempts });
  const later = await followed(tenant, agent.id, String(end?.executionId));
  expect(later.at(-1)?.attempts).toEqual(end?.attempts);
  expect(SurfaceEvent.parse(end)).not.toHaveProperty('attempts');
  expect(ClientEvent.parse({ ...end, finalOutput: '' })).not.toHaveProperty('attempts');
});
