import { setTimeout as sleep } from 'node:timers/promises';
import Big from 'big.js';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type ChatRequest, startModelStandIn } from '../../../examples/model-stand-in.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { createClient } from '../../../packages/client/src/client.ts';
import { scriptedAnswer } from '../../support/models/scripted-model.ts';
import { startEffects } from '../../support/servers/effects-server.ts';
import { killAll, newDirectory, start } from '../../support/stack/processes.ts';

const runCount = Number(process.env.CHAOS_AGENT_RUNS ?? 20);
const killCount = Number(process.env.CHAOS_AGENT_KILLS ?? 3);
/** No run takes as long as this, also after a crash and on a busy machine. */
const stuckMs = 120_000;

let answered = 0;
const models = await startModelStandIn({
  delayMs: 150,
  answer(request: ChatRequest) {
    answered++;
    return scriptedAnswer(request);
  },
});
const effects = await startEffects(150);
afterAll(async () => {
  await models.close();
  effects.close();
});
afterEach(killAll);

const clientOf = ({ url, liveKey }: StackFacts) => createClient({ baseUrl: url, apiKey: liveKey });
type Client = ReturnType<typeof clientOf>;

/** A tool that sends requests: one with effects, or a repeatable one. */
async function newTool({ call }: Client, name: string, method: 'GET' | 'POST') {
  const parametersSchema = { type: 'object', properties: { n: { type: 'string' } } };
  const config = { url: `${effects.url}/${name}/{{ n }}`, method };
  const body = { toolType: 'external' as const, name, description: name, parametersSchema, config };
  return (await call('tools.create', { body })).id;
}

async function startRuns(client: Client): Promise<{ agentId: string; executionIds: string[] }> {
  const customModel = { displayName: 'P', inputCostPer1kTokens: 0.001, outputCostPer1kTokens: 0.002 };
  const model = await client.call('model-configs.create', {
    body: { provider: 'generic-openai', modelId: 'any', settings: { customModel } },
  });
  const toolIds = [await newTool(client, 'order', 'POST'), await newTool(client, 'look', 'GET')];
  const config = { model: model.id, loopConfig: { maxTurns: 5 }, tools: { toolIds } };
  const { id: agentId } = await client.call('agents.create', { body: { name: 'Chaos', config } });
  const executionIds: string[] = [];
  for (let n = 0; n < runCount; n++) {
    const callOf = (name: string, turn: number) => ({ name, arguments: { n: `${n}-${turn}` } });
    const turnOf = (turn: number) => ({ toolCalls: [callOf('order', turn), callOf('look', turn)] });
    const script = [turnOf(1), ...(n % 2 === 0 ? [turnOf(2)] : []), { text: `done ${n}` }];
    const started = await client.call('agent-runs.execute', {
      params: { id: agentId },
      body: {
        messages: [{ role: 'user', content: JSON.stringify(script) }],
        options: { background: true },
      },
    });
    executionIds.push(started.executionId);
  }
  return { agentId, executionIds };
}

const detailsOf = ({ call }: Client, id: string, executionId: string) =>
  call('agent-executions.get', { params: { id, executionId } });

const openStatuses = ['running', 'paused'];

/** Waits until at most so many runs are open, as long as runs go on to end. */
async function untilOpen(client: Client, id: string, executionIds: readonly string[], most: number) {
  let open = [...executionIds];
  for (let movedAt = Date.now(); open.length > most; await sleep(200)) {
    const statuses = await Promise.all(open.map((each) => detailsOf(client, id, each)));
    const left = statuses
      .filter(({ status }) => openStatuses.includes(status))
      .map((each) => each.executionId);
    if (left.length < open.length) movedAt = Date.now();
    open = left;
    if (Date.now() - movedAt > stuckMs) throw new Error(`Runs do not end: ${open.join(', ')}`);
  }
}

test(`${runCount} runs end when the process is killed ${killCount} times; no tool with effects runs twice; the costs are those on record`, async () => {
  const environment = {
    DATA_DIR: newDirectory(),
    GENERIC_OPENAI_BASE_URL: models.url,
    LOCAL_ALLOWED_HOSTS: effects.host,
    RATE_LIMIT_PER_HOUR: '1000000',
    RATE_LIMIT_PER_DAY: '1000000',
  };
  let stack = await start(environment);
  // No run ends before the first kill.
  models.options.misbehave = 'hang';
  const { agentId, executionIds } = await startRuns(clientOf(stack.facts));
  delete models.options.misbehave;
  for (let kills = 0; kills < killCount; kills++) {
    await sleep(300 + Math.random() * 1_200);
    stack.child.kill('SIGKILL');
    stack = await start(environment);
  }
  const client = clientOf(stack.facts);
  await untilOpen(client, agentId, executionIds, 0);

  const runs = await Promise.all(executionIds.map((each) => detailsOf(client, agentId, each)));
  const byStatus = Object.groupBy(runs, ({ status }) => status);
  expect(Object.keys(byStatus)).toEqual(['completed']);
  for (const [name, keys] of effects.calls) {
    if (name.startsWith('POST')) expect([name, keys.length]).toEqual([name, 1]);
    // A repeated call is the same call.
    else expect(new Set(keys).size, name).toBe(1);
  }
  const turns = runs.flatMap(({ iterationDetails }) => iterationDetails);
  const tokens = turns.reduce((sum, turn) => sum + turn.inputTokens + turn.outputTokens, 0);
  const cost = turns.reduce((sum, turn) => sum.plus(turn.cost ?? 0), new Big(0));
  const usage = await client.call('model-usage.get');
  expect(usage.summary).toMatchObject({ totalTokens: tokens, totalRequests: turns.length });
  expect(usage.summary.totalCost).toBeCloseTo(cost.toNumber(), 6);
  expect(runs.reduce((sum, run) => sum.plus(run.totalCost ?? 0), new Big(0)).toFixed()).toBe(cost.toFixed());
  const repeated = [...effects.calls.values()].filter((keys) => keys.length > 1).length;
  const unknown = await unknownResults(client, agentId, executionIds);
  const numbers = { runs: runs.length, turns: turns.length, modelCalls: answered, repeated, unknown };
  if (process.env.CHAOS_AGENT_RUNS) process.stdout.write(`${JSON.stringify(numbers)}\n`);
  expect(answered).toBeGreaterThanOrEqual(turns.length);
}, 300_000);

/** How many calls ended without anybody knowing their result. */
async function unknownResults({ call }: Client, id: string, executionIds: readonly string[]) {
  const route = 'agent-executions.list-tool-calls';
  const lists = await Promise.all(
    executionIds.map((executionId) => call(route, { params: { id, executionId } })),
  );
  const calls = lists.flatMap(({ toolCalls }) => toolCalls);
  return calls.filter(({ errorMessage }) => errorMessage?.startsWith('Unknown result')).length;
}
