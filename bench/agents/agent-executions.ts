import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { toChunks } from '../../shared/core/chunks.ts';
import { mapConcurrently } from '../../shared/core/concurrency/map-concurrently.ts';
import { deriveId } from '../../shared/core/ids.ts';
import { agentEditor } from '../../shared/domain/agents/agent-editor.ts';
import {
  type AgentExecution,
  agentExecutionEntity,
  agentExecutions,
  type ExecutionsQuery,
} from '../../shared/execution/agent-runs/agent-execution.ts';
import { inlineAgent, inlineContent } from '../../shared/execution/agent-runs/agent-input.ts';
import { startRun } from '../../shared/execution/agent-runs/start-run.ts';
import { documentClient } from '../../shared/platform/data/client.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { createWrites } from '../../shared/platform/data/writes.ts';
import type { Principal } from '../../shared/platform/identity/principal.ts';
import { runtimeOn, useTable } from '../http/warm-get.ts';
import { type Figure, printProgress, round } from '../measure/figure.ts';
import { startRecording, stopRecording } from '../measure/recorder.ts';
import { startBenchStack } from '../measure/stack.ts';
import { memoryScope } from './agent-ways.ts';

const [many, few] = [100_000, 100];
const limit = 50;
/** One run in so many has failed. */
const failedEvery = 1_000;
const everyMs = 1_000;
const tenant = 'user:bench';
const owner = { userId: 'bench', organizationId: null };
const session: Principal = {
  ...owner,
  kind: 'session',
  tenant,
  environment: 'production',
  permissions: ['*'],
  keyId: null,
  hash: null,
  sourceIp: null,
};

/** (v) What pages of the executions of an agent with very many of them cost, against an agent with few. */
export async function measureAgentExecutionsList(): Promise<Figure[]> {
  printProgress(`v: pages of the executions of an agent with ${many}, against ${few}`);
  await using stack = await startBenchStack();
  useTable(stack.facts.aws.dynamodb, stack.facts.table);
  const scope = runtimeOn(stack.facts.table)().scopeOf(tenant);
  const [large, small] = [await agentWith(scope, many), await agentWith(scope, few)];
  const pageOf = async (agentId: string, query: Partial<ExecutionsQuery> = {}) =>
    measured(() => agentExecutions(scope)(agentId, { limit, ...query }));
  const began = Date.now() - many * everyMs;
  const middle = new Date(began + (many / 2) * everyMs);
  const first = await pageOf(large);
  const before = await pageOf(large, { to: middle });
  const inTheMiddle = await pageOf(large, { cursor: before.page.pagination.nextCursor ?? '' });
  const ofFew = await pageOf(small);
  const rare = await pageOf(large, { status: 'failed' });
  const figure = (what: string, value: number, atMost: number, details: object): Figure => ({
    figure: 'v',
    what,
    value: round(value),
    unit: 'times',
    goal: { atMost },
    details: { ...details },
  });
  return [
    figure(
      `read units of a page of ${limit} executions of an agent with ${many}, against one with ${few}; the first page or one in the middle`,
      Math.max(first.units, inTheMiddle.units) / ofFew.units,
      1,
      { first: first.cost, inTheMiddle: inTheMiddle.cost, ofFew: ofFew.cost },
    ),
    {
      figure: 'v',
      unit: 'requests',
      goal: { atMost: 11 },
      what: `requests of a page of the one in ${failedEvery} that failed, with the agent itself: it ends after 10,000 entries`,
      value: rare.requests,
      details: {
        rare: rare.cost,
        ofFew: (await pageOf(small, { status: 'failed' })).cost,
        thatAllHave: (await pageOf(large, { surfaceType: 'api' })).cost,
        ofAnHour: (await pageOf(large, { from: middle, to: new Date(middle.getTime() + 3_600_000) })).cost,
        withCount: (await pageOf(large, { includeCount: 'true' })).cost,
      },
    },
  ];
}

async function measured(list: () => ReturnType<ReturnType<typeof agentExecutions>>) {
  startRecording({ capacity: true });
  const began = performance.now();
  const page = await list();
  const milliseconds = round(performance.now() - began, 1);
  const sent = stopRecording();
  const units = sent.reduce((sum, { capacityUnits }) => sum + capacityUnits, 0);
  const requests = sent.length;
  const { length: rows } = page.rows;
  const { hasMore } = page.pagination;
  return { page, units, requests, cost: { units, requests, rows, hasMore, milliseconds } };
}

/** An agent with so many ended executions, one a second until now. */
async function agentWith(scope: Scope, count: number): Promise<string> {
  const { agent } = await agentEditor(scope).create(
    session,
    { name: `An agent with ${count} executions` },
    sandbox(scope),
  );
  const model = await endedExecution(agent.id);
  const began = Date.now() - count * everyMs;
  const items = Array.from({ length: count }, (_, n) => itemOf(model, began + n * everyMs, n));
  const client = documentClient();
  const send = (chunk: object[]) =>
    client.send(
      new BatchWriteCommand({
        RequestItems: {
          [process.env.TABLE_NAME ?? '']: chunk.map((Item) => ({ PutRequest: { Item: { ...Item } } })),
        },
      }),
    );
  for await (const { UnprocessedItems } of mapConcurrently(toChunks(items, 25), 8, send)) {
    if (Object.keys(UnprocessedItems ?? {}).length > 0) throw new Error('The table took only a part');
  }
  return agent.id;
}

/** An execution as a run of an agent writes it. */
async function endedExecution(agentId: string): Promise<AgentExecution> {
  const scope = memoryScope();
  const content = inlineContent({ model: 'any', systemPrompt: 'You are a helpful assistant.' });
  const { execution } = await startRun(
    scope,
    {
      agent: { ...inlineAgent('Bench', content), id: agentId },
      owner,
      permissions: [],
      surfaceType: 'api',
      origin: { trigger: { type: 'api' } },
      background: false,
      messages: [{ role: 'user', content: 'What is six times seven?' }],
    },
    sandbox(scope),
  );
  return {
    ...execution,
    completedAt: execution.startedAt,
    iterations: 2,
    inputTokens: 1_240,
    outputTokens: 44,
    totalCost: '0.00412',
    holder: '',
    ttl: undefined,
  };
}

/** As the end of a run leaves it, which is not to be looked after any more. */
function itemOf(model: AgentExecution, at: number, n: number): object {
  const hasFailed = n % failedEvery === 0;
  const write = createWrites(tenant, () => new Date(at)).insert(agentExecutionEntity, {
    ...model,
    id: deriveId('exec', at, n, model.agentId ?? ''),
    startedAt: new Date(at).toISOString(),
    ...(hasFailed
      ? { status: 'failed', stopReason: 'error' }
      : { status: 'completed', stopReason: 'end_turn' }),
  });
  if (!('Put' in write)) throw new TypeError('Expected an insertion');
  const { PK2: _sweep, SK2: _moment, ...item } = write.Put.Item;
  return item;
}
