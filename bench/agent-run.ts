import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { modelPorts } from '../shared/adapters/models/model-ports.ts';
import type { Ports } from '../shared/adapters/ports.ts';
import { sandbox, sandboxOf } from '../shared/adapters/sandbox/sandbox.ts';
import { execute } from '../shared/execution/agent-runs/execute.ts';
import { inlineAgent, inlineContent } from '../shared/execution/agent-runs/inline-content.ts';
import { startRun } from '../shared/execution/agent-runs/start-run.ts';
import type { Scope } from '../shared/platform/data/scope.ts';
import { agentResultOf } from '../shared/protocols/json/agent-result.ts';
import { type Figure, median, progress, round } from './figure.ts';
import { startRecording, stopRecording } from './recorder.ts';
import { startModels, startStack } from './stack.ts';
import { runtimeOn, useTable } from './warm-get.ts';

const rounds = 30;
const warmUpRounds = 5;
const runsPerRound = 20;
const question = 'What is six times seven?';
const instructions = 'You are a helpful assistant. Use your tools.';
const schema = jsonSchema<{ expression: string }>({
  type: 'object',
  properties: { expression: { type: 'string' } },
  required: ['expression'],
});

/** (s) A run of an agent of two turns with one tool call, beside the tool loop of the AI SDK; its requests. */
export async function agentRun(): Promise<Figure[]> {
  progress('s: CPU and requests of a run of an agent, against the tool loop of the AI SDK');
  using models = await startModels('./agent-models.ts');
  await using stack = await startStack();
  useTable(stack.facts.aws.dynamodb, stack.facts.table);
  const scope = runtimeOn(stack.facts.table)().scopeOf('user:bench');
  const ways = { ours: () => ourRun(scope, models.url), theirs: () => theirRun(models.url) };
  const samples: { ours: number; theirs: number }[] = [];
  for (let at = 0; at < warmUpRounds + rounds; at++) {
    const sample = { ours: 0, theirs: 0 };
    const names = at % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const);
    for (const name of names) sample[name] = await cpuMsPerRun(ways[name]);
    if (at >= warmUpRounds) samples.push(sample);
  }
  startRecording({ capacity: true });
  await ourRun(scope, models.url);
  const sent = stopRecording();
  const of = (value: (sample: (typeof samples)[number]) => number) => round(median(samples.map(value)));
  return [
    {
      figure: 's',
      what: 'CPU time of a run of two turns and a tool call with every turn written, as a multiple of the AI SDK’s loop in memory',
      value: of(({ ours, theirs }) => ours / theirs),
      unit: 'times',
      goal: { atMost: 1.5 },
      details: { oursMs: of(({ ours }) => ours), aiSdkMs: of(({ theirs }) => theirs), rounds, runsPerRound },
    },
    {
      figure: 's',
      what: 'DynamoDB requests for each of the two turns, with the start and the end of the run',
      value: sent.length / 2,
      unit: 'requests',
      goal: { atMost: 2 },
      details: {
        operations: sent.map(({ name }) => name),
        units: sent.reduce((sum, { capacityUnits }) => sum + capacityUnits, 0),
      },
    },
  ];
}

async function ourRun(scope: Scope, url: string) {
  const agent = inlineAgent(
    'Bench',
    inlineContent({
      model: 'generic-openai/any',
      systemPrompt: instructions,
      loopConfig: { maxTurns: 5 },
      tools: { toolIds: ['builtin:calculator'] },
    }),
  );
  const ports = {
    ...modelPorts(async (modelId) => ({
      ...{ provider: 'generic-openai', modelId, keySource: 'platform', credentials: { baseUrl: url } },
    })),
    now: scope.now,
    sandbox: sandboxOf('bench'),
  } as Partial<Ports> as Ports;
  const { execution, input } = await startRun(
    scope,
    {
      ...{ agent, owner: { userId: 'bench', organizationId: null }, permissions: [], surfaceType: 'api' },
      ...{ background: false, messages: [{ role: 'user', content: question }] },
    },
    sandbox(scope),
  );
  const run = { execution, input, content: agent.content, log: [], toldSeq: -1, mayHaveBegun: false };
  const result = await agentResultOf(execution.id, execute(scope, run, { ports, streamed: false }));
  if (result.iterations !== 2 || result.error !== null) throw new Error(JSON.stringify(result));
}

async function theirRun(baseURL: string): Promise<void> {
  const { text, steps } = await generateText({
    model: createOpenAICompatible({ name: 'bench', baseURL })('any'),
    system: instructions,
    prompt: question,
    stopWhen: stepCountIs(5),
    tools: {
      calculator: tool({
        description: 'Calculates exactly',
        inputSchema: schema,
        execute: async () => ({ result: '42', number: 42 }),
      }),
    },
  });
  if (steps.length !== 2 || !text) throw new Error('The loop of the AI SDK did not do what ours does');
}

async function cpuMsPerRun(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < runsPerRound; n++) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / runsPerRound;
}
