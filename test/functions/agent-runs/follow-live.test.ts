import { expect, test } from 'vitest';
import { sandbox } from '../../../shared/adapters/sandbox/sandbox.ts';
import { hourMarks } from '../../../shared/domain/runs/hour-marks.ts';
import {
  type AgentExecution,
  agentExecutionEntity,
  agentRunPartition,
} from '../../../shared/execution/agent-runs/agent-execution.ts';
import { agentToRun } from '../../../shared/execution/agent-runs/agent-input.ts';
import { runInBackground } from '../../../shared/execution/agent-runs/background-run.ts';
import { registerFollower } from '../../../shared/execution/agent-runs/live-output.ts';
import { runLog } from '../../../shared/execution/agent-runs/run-log.ts';
import { startRun } from '../../../shared/execution/agent-runs/start-run.ts';
import { openPorts } from '../../../shared/execution/open-ports.ts';
import { createScriptedAgent, run } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { type ReceivedEvent, readEvents } from '../../support/stack/sse.ts';
import { countingRuntime, newTenant, stack, type Tenant } from '../../support/stack/stack.ts';

// The model `trickling` says a word every 100 ms, which is the time at that moment.
const trickling = { model: 'generic-openai/trickling' };
const wordsOf = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(' ');
const timesIn = (text: string) => text.trim().split(' ').map(Number);

const startInBackground = (tenant: Tenant, agentId: string, content: string) =>
  expectStatus(202, run(tenant, agentId, content, { options: { background: true } }));

async function follow(tenant: Tenant, agentId: string, executionId: string, after?: number) {
  const query = after === undefined ? '' : `?after=${after}`;
  const path = `/v1/agents/${agentId}/executions/${executionId}/events${query}`;
  const response = await fetch(stack().url + path, { headers: { authorization: `Bearer ${tenant.token}` } });
  return readEvents(response.body as ReadableStream<Uint8Array>);
}

const told = (events: ReceivedEvent[]) => events.filter(({ data }) => data.type !== 'ping');
const deltasOf = (events: ReceivedEvent[]) => events.filter(({ data }) => data.type === 'text_delta');
const textOf = (events: ReceivedEvent[]) =>
  deltasOf(events)
    .map(({ data }) => data.delta)
    .join('');
const wholeOf = (events: ReceivedEvent[]) =>
  events.find(({ data }) => data.type === 'text_complete')?.data.text;

test.concurrent('those who follow a run in the background see its text as it is said, whenever they come', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, trickling);
  const { executionId } = await startInBackground(tenant, agent.id, wordsOf(80));
  const open = (after?: number) => follow(tenant, agent.id, executionId, after);
  const first: ReceivedEvent[] = [];
  const others: Promise<ReceivedEvent[]>[] = [];
  for await (const event of await open()) {
    first.push(event);
    if (event.data.type !== 'text_delta') continue;
    // Two come late: one from the beginning, one that had read until here.
    if (others.length < 2)
      others.push(Array.fromAsync(await open(others.length ? event.data.seq : undefined)));
  }
  const [late, resumed] = (await Promise.all(others)) as [ReceivedEvent[], ReceivedEvent[]];
  const whole = wholeOf(first) as string;
  expect(timesIn(whole).length).toBeGreaterThan(80);
  // Several pieces came before the model had said the last word.
  const early = deltasOf(first).filter(({ at }) => at < (timesIn(whole).at(-1) as number));
  expect(early.length).toBeGreaterThan(3);
  expect([textOf(first), textOf(late), wholeOf(late)]).toEqual([whole, whole, whole]);
  const seqs = told(first).map(({ data }) => data.seq);
  expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
  expect(deltasOf(late).length).toBeGreaterThan(2);
  const from = resumed[0]?.data.seq as number;
  const before = first.filter(({ data }) => data.seq < from);
  expect(textOf(before) + textOf(resumed)).toBe(whole);
  // When the run is over, a text comes in one piece.
  const again = told(await Array.fromAsync(await open()));
  expect(deltasOf(again)).toHaveLength(1);
  const isEnd = ({ data }: ReceivedEvent) => data.type.endsWith('_complete');
  const ends = (events: ReceivedEvent[]) => events.filter(isEnd).map(({ data }) => [data.seq, data.type]);
  expect(ends(again)).toEqual(ends(first));
}, 60_000);

/** A run that waits for a worker, without the message that asks for one. */
async function waitingRun(tenant: Tenant, agentId: string, content: string) {
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const { execution } = await startRun(
    scope,
    {
      agent: await agentToRun(scope)(agentId, { environment: 'production' }),
      messages: [{ role: 'user', content }],
      owner: { userId: 'user', organizationId: null },
      permissions: [],
      surfaceType: 'api',
      origin: { trigger: { type: 'api' } },
      background: true,
    },
    sandbox(scope),
  );
  return execution;
}

/** A worker of this process. @returns the commands that it sent. */
async function work(tenant: Tenant, { id }: AgentExecution, timeMs = 60_000) {
  const runtime = countingRuntime();
  const scope = runtime.scopeOf(tenant.tenant);
  // Once for each process, tenant and hour.
  await hourMarks(scope)(new Date().toISOString());
  runtime.reset();
  const portsFor = (execution: AgentExecution) =>
    openPorts(countingRuntime().scopeOf(tenant.tenant), { ...execution, runId: id });
  await runInBackground(scope, id, { timeMs, portsFor });
  return runtime.consumed;
}

/** @returns the requests but the reads of the execution; how many of those look, every three seconds, whether it is cancelled. */
function withoutLooks(commands: readonly string[]) {
  const others = commands.filter((name) => name !== 'GetItem');
  const looks = commands.length - others.length - 3;
  expect(looks).toBeGreaterThanOrEqual(0);
  return { others, looks };
}

const logOf = ({ tenant }: Tenant, { id }: Pick<AgentExecution, 'id'>) =>
  runLog(countingRuntime().scopeOf(tenant)).read(id);
const itemsOf = async ({ tenant }: Tenant, id: string) => {
  const { table } = countingRuntime().scopeOf(tenant);
  const items = await table.queryAll({ partition: agentRunPartition(id) });
  return items.map(({ SK }) => SK.replace(/#.*/, ''));
};

test.concurrent('a run that nobody follows costs what it costs without followers, and has the same log', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/slow' });
  const execution = await waitingRun(tenant, agent.id, wordsOf(12));
  const { commands, capacityUnits } = await work(tenant, execution);
  const { others, looks } = withoutLooks(commands);
  expect(others).toEqual(['Query', 'UpdateItem', 'UpdateItem', 'Query', 'TransactWriteItems', 'UpdateItem']);
  // Times with more digits take an item over 1 KB.
  expect([24.5, 26.5]).toContain(capacityUnits - looks / 2);
  const log = await logOf(tenant, execution);
  expect(log.map(({ fact, lastSeq, numbers }) => [fact.type, lastSeq, numbers])).toEqual([
    ['turn', 5, undefined],
    ['end', 6, undefined],
  ]);
  expect(await itemsOf(tenant, execution.id)).toEqual(['EXECUTION', 'FACT', 'FACT']);
}, 60_000);

test.concurrent('a followed run writes a piece in a quarter of a second, and nothing else more', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, trickling);
  const execution = await waitingRun(tenant, agent.id, wordsOf(12));
  await registerFollower(countingRuntime().scopeOf(tenant.tenant), execution);
  const began = performance.now();
  const { commands } = await work(tenant, execution);
  const quarters = (performance.now() - began) / 250;
  const items = await itemsOf(tenant, execution.id);
  const pieces = items.filter((name) => name === 'PIECE').length;
  // 14 words; the last group is in the fact.
  expect(pieces).toBeGreaterThanOrEqual(1);
  expect(pieces).toBeLessThanOrEqual(quarters);
  expect(commands.filter((name) => name === 'PutItem')).toHaveLength(pieces);
  expect(withoutLooks(commands).others).toHaveLength(6 + pieces);
}, 60_000);

test.concurrent('a turn whose process stops ends for those who saw its beginning, and another process takes it', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, trickling);
  const execution = await waitingRun(tenant, agent.id, wordsOf(30));
  const following = Array.fromAsync(await follow(tenant, agent.id, execution.id));
  const scope = countingRuntime().scopeOf(tenant.tenant);
  await eventually(async () => {
    const current = await scope.table.get(agentExecutionEntity, { id: execution.id });
    expect(current?.followedUntil).toBeDefined();
  });
  // It hands the run over to the worker of the stack.
  await work(tenant, execution, 1_500);
  const events = told(await following);
  const turns = [...Map.groupBy(events, ({ data }) => data.turnId ?? data.id)].filter(([id]) => id);
  expect(
    turns.map(([, ofTurn]) => ofTurn.map(({ data }) => data.type).filter((type) => type !== 'text_delta')),
  ).toEqual([
    ['turn_start', 'text_start', 'text_complete', 'turn_complete'],
    ['turn_start', 'text_start', 'text_complete', 'turn_complete'],
  ]);
  const [lost, taken] = turns.map(([, ofTurn]) => ofTurn) as [ReceivedEvent[], ReceivedEvent[]];
  expect(lost.at(-1)?.data).toMatchObject({ success: false, error: expect.stringContaining('begins again') });
  for (const ofTurn of [lost, taken]) expect(textOf(ofTurn)).toBe(wholeOf(ofTurn));
  expect(events.at(-1)?.data).toMatchObject({ success: true, finalOutput: wholeOf(taken) });
  const seqs = events.map(({ data }) => data.seq);
  expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
  // Whoever comes back in the middle of the lost turn gets the other one, from its beginning.
  const middle = deltasOf(lost)[0]?.data.seq;
  const again = told(await Array.fromAsync(await follow(tenant, agent.id, execution.id, middle)));
  expect(again[0]?.data).toMatchObject({ type: 'turn_start', id: taken[0]?.data.id });
  expect(textOf(again)).toBe(wholeOf(taken));
}, 60_000);

test.concurrent('the pieces of a run go when what was said is not kept, and when its agent is deleted', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, trickling);
  const silent = await createScriptedAgent(tenant, { ...trickling, loggingPolicy: 'off' });
  const runOf = async ({ id }: { id: string }) => {
    const execution = await waitingRun(tenant, id, wordsOf(8));
    await registerFollower(countingRuntime().scopeOf(tenant.tenant), execution);
    await work(tenant, execution);
    return execution.id;
  };
  const [kept, forgotten] = await Promise.all([runOf(agent), runOf(silent)]);
  expect(await itemsOf(tenant, forgotten)).toEqual(['EXECUTION']);
  expect(await itemsOf(tenant, kept)).toContain('PIECE');
  await expectStatus(200, tenant.call('DELETE', `/v1/agents/${agent.id}`));
  await eventually(async () => expect(await itemsOf(tenant, kept)).toEqual([]));
}, 60_000);
