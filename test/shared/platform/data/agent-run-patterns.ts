import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import { sandbox } from '../../../../shared/adapters/sandbox/sandbox.ts';
import { agentEditor } from '../../../../shared/domain/agents/agent-editor.ts';
import { agentVersions } from '../../../../shared/domain/agents/agent-versions.ts';
import type { Fact, TurnFact } from '../../../../shared/execution/agent-loop/facts.ts';
import {
  type AgentExecution,
  agentExecutionEntity,
  agentExecutions,
  agentRunSweep,
  postponeRunSweep,
  releaseRun,
} from '../../../../shared/execution/agent-runs/agent-execution.ts';
import { workerPlaces } from '../../../../shared/execution/agent-runs/background-run.ts';
import { executionDetails } from '../../../../shared/execution/agent-runs/execution-details.ts';
import { followRun } from '../../../../shared/execution/agent-runs/follow-run.ts';
import { chunkStore, registerFollower } from '../../../../shared/execution/agent-runs/live-output.ts';
import { openJournal } from '../../../../shared/execution/agent-runs/run-journal.ts';
import { loadRun } from '../../../../shared/execution/agent-runs/run-log.ts';
import { startRun } from '../../../../shared/execution/agent-runs/start-run.ts';
import { endRun } from '../../../../shared/execution/agent-runs/sweep-runs.ts';
import { acquireLease, appendFacts, keepLease } from '../../../../shared/execution/agent-runs/take-run.ts';
import { acquirePlace } from '../../../../shared/platform/tenant-pools.ts';
import type { Pattern } from './access-pattern.ts';
import { type AccessWorld, sessionPrincipal } from './access-world.ts';

const at = new Date().toISOString();
const spent = { inputTokens: 1, outputTokens: 1, cost: '0.1' };

const call = { id: 'call_1', modelId: 'a', name: 'calculator', toolId: 'builtin:calculator', input: {} };
const turnFact = (calls: TurnFact['calls'] = []): TurnFact => ({
  type: 'turn',
  at,
  turn: 1,
  turnId: 'turn_1',
  text: 'x',
  reasoning: '',
  sources: [],
  calls,
  spent,
  message: { role: 'assistant', content: [{ type: 'text', text: 'x' }] },
  stopReason: 'stop',
  modelUsed: 'a/model',
  durationMs: 1,
  firstMs: 420,
  usage: { inputTokens: 1, outputTokens: 1 },
});
const turnWithCall = turnFact([{ ...call, toolType: 'builtin' }]);
const resultFact: Fact = {
  type: 'result',
  at,
  callId: call.id,
  toolName: call.name,
  output: 1,
  failed: false,
  durationMs: 1,
  // A flow as a tool.
  notes: [
    {
      k: 'f',
      at: 2,
      ms: 950,
      n: 'A flow',
      id: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn',
      x: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
      in: [
        {
          k: 's',
          at: 3,
          ms: 940,
          n: 'ask',
          id: 'step_01k9m4v7d3x8qz5w2r6t0y1hbn',
          ty: 'prompt',
          in: [{ k: 'm', at: 5, ms: 930, n: 'a/model', u: [12, 34, 0, 0], c: '0.001', f: 420 }],
        },
      ],
    },
  ],
  spent,
};
const pauseFact: Fact = {
  type: 'pause',
  at,
  waits: [
    {
      kind: 'approval',
      callId: call.id,
      approvalId: 'appr_1',
      toolName: call.name,
      parameters: {},
      until: '2999-01-01T00:00:00.000Z',
    },
  ],
};
const decisionFact: Fact = {
  type: 'decision',
  at,
  approvalId: 'appr_1',
  callId: call.id,
  decision: 'approved',
  by: 'u',
};
const piece = {
  fact: 0,
  restarts: 1,
  n: 0,
  seq: 1,
  events: JSON.stringify([{ type: 'text-delta', text: 'some words of an answer' }]),
};
const endFact: Fact = { type: 'end', at, stopReason: 'end_turn', output: 'x', error: null };

const start = async (world: AccessWorld, more: object = {}) => {
  const { scope, owner, tenant } = world;
  const editor = agentEditor(scope);
  const { agent } = await editor.create(sessionPrincipal(tenant), { name: 'An agent' }, sandbox(scope));
  const versionId = await agentVersions(scope).publishCurrent(agent.id);
  return () =>
    startRun(
      scope,
      {
        agent: { id: agent.id, name: agent.name, versionId, content: agent },
        messages: [{ role: 'user', content: 'hi' }],
        owner,
        permissions: [],
        surfaceType: 'api',
        origin: { trigger: { type: 'api' } },
        background: true,
        ...more,
      },
      sandbox(scope),
    );
};

/** An agent, and a function that adds executions as they are when they end. */
export async function agentWithRuns(world: AccessWorld) {
  const { table, newId } = world.scope;
  const { execution } = await (await start(world))();
  const addRuns = async (count: number) => {
    for (let left = count; left > 0; left -= 20) {
      const copies = Array.from({ length: 20 }, () => ({ ...execution, id: newId('exec') }));
      await table.commit(copies.map((copy) => table.writes.insert(agentExecutionEntity, copy)));
    }
  };
  return { agentId: execution.agentId ?? '', addRuns };
}

/** A run in progress. */
async function running(world: AccessWorld, more: object = {}): Promise<AgentExecution> {
  const { execution } = await (await start(world, more))();
  const holder = 'hold_own';
  const taken = { ...(await loadRun(world.scope, execution.id)), execution };
  await acquireLease(world.scope, taken, holder);
  return { ...execution, holder };
}

/** Records facts as the process of the run does. */
const record = (world: AccessWorld, execution: AgentExecution, former: Fact[], facts: Fact[]) => {
  const { holder } = execution;
  const log = former.map((fact, n) => ({ n, lastSeq: n, holder, fact }));
  const isTurn = facts.some(({ type }) => type === 'turn');
  const calls = isTurn ? world.modelResult().modelCalls : [];
  return openJournal(world.scope, { execution, log }).record(facts, { calls });
};

async function paused(world: AccessWorld): Promise<AgentExecution> {
  const execution = await running(world);
  await record(world, execution, [], [turnWithCall, pauseFact]);
  return execution;
}

export async function endedAgent(world: AccessWorld): Promise<AgentExecution> {
  const execution = await running(world);
  await record(world, execution, [], [turnFact(), endFact]);
  return execution;
}

/** How the executions of agents and their logs are asked for, by the names in docs/data-model.md. */
export const agentRunPatterns: Record<string, Pattern> = {
  'Start a run of an agent': {
    commands: 'Query, BatchWriteItem',
    units: [4, 5],
    indexes: 'GSI1, GSI2',
    run: start,
  },
  'Record a turn that calls a tool': {
    commands: 'TransactWriteItems',
    units: [2, 4],
    run: async (world) => {
      const execution = await running(world);
      return () => record(world, execution, [], [turnWithCall]);
    },
  },
  'Record the result of a tool': {
    commands: 'PutItem',
    units: 1,
    run: async (world) => {
      const execution = await running(world);
      await record(world, execution, [], [turnWithCall]);
      return () => record(world, execution, [turnWithCall], [resultFact]);
    },
  },
  'Record the last turn and the end of a run': {
    commands: 'GetItem, TransactWriteItems',
    units: [8, 13, 10.5],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const execution = await running(world);
      return () => record(world, execution, [], [turnFact(), endFact]);
    },
  },
  'Pause a run': {
    commands: 'TransactWriteItems',
    units: [9.5, 14, 13],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const execution = await running(world);
      return () => record(world, execution, [], [turnWithCall, pauseFact]);
    },
  },
  'Answer one of several waits of a run': {
    commands: 'GetItem, Query, PutItem',
    units: 3,
    run: async (world) => {
      const { id } = await paused(world);
      return async () => appendFacts(world.scope, await loadRun(world.scope, id), [decisionFact]);
    },
  },
  'Answer the last wait of a run, and take it': {
    commands: 'GetItem, Query, TransactWriteItems',
    units: [11.5, 15, 13],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { id } = await paused(world);
      const facts: Fact[] = [decisionFact, { type: 'continue', at }];
      return async () => appendFacts(world.scope, await loadRun(world.scope, id), facts);
    },
  },
  'Take over a run': {
    commands: 'UpdateItem',
    units: 3,
    indexes: 'GSI2',
    run: async (world) => {
      const execution = await running(world);
      const run = await loadRun(world.scope, execution.id);
      return () => acquireLease(world.scope, run, 'turn_other');
    },
  },
  'Give a run back': {
    commands: 'UpdateItem',
    units: 1,
    run: async (world) => {
      const execution = await running(world);
      return () => releaseRun(world.scope, execution);
    },
  },
  'Take a place of the tenant, and give it back': {
    commands: '2 UpdateItem',
    units: 2,
    run:
      ({ scope }) =>
      async () =>
        (await acquirePlace(scope, workerPlaces))?.release(),
  },
  'Keep a run for 25 seconds': {
    commands: '8 GetItem, UpdateItem',
    units: 7,
    indexes: 'GSI2',
    run: async (world) => {
      const execution = await running(world);
      return async () => {
        vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
        const lease = keepLease(world.scope, execution, execution.holder);
        vi.advanceTimersByTime(24_000);
        await sleep(300);
        vi.advanceTimersByTime(1_000);
        await sleep(300);
        lease.release();
        vi.useRealTimers();
      };
    },
  },
  'Look at a run again later': {
    commands: 'UpdateItem',
    units: 3,
    indexes: 'GSI2',
    run: async (world) => {
      const { id } = await running(world);
      const { execution } = await loadRun(world.scope, id);
      return () => postponeRunSweep(world.scope, execution, '2999-01-01T00:00:00.000Z');
    },
  },
  'Cancel a run of an agent': {
    commands: '2 GetItem, 2 Query, TransactWriteItems',
    units: [9, 12, 11],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { id } = await running(world);
      return () => endRun(world.scope, id, { stopReason: 'cancelled', error: 'x' });
    },
  },
  'Runs of agents to look after': {
    commands: '4 Query',
    units: 2,
    indexes: 'GSI2',
    run: async (world) => {
      await world.standingInSweep(agentRunSweep);
      return () => world.dueForSweep(agentRunSweep);
    },
  },
  'List the executions of an agent': {
    commands: 'GetItem, Query',
    units: 1,
    indexes: 'GSI1',
    run: async (world) => {
      const { agentId } = await endedAgent(world);
      return () => agentExecutions(world.scope)(agentId ?? '', world.page());
    },
  },
  'Filter the executions of an agent': {
    commands: 'GetItem, Query',
    units: 1,
    indexes: 'GSI1',
    run: async (world) => {
      const { agentId } = await endedAgent(world);
      const query = { ...world.page(), status: 'failed' as const, from: new Date(0), to: new Date() };
      return () => agentExecutions(world.scope)(agentId ?? '', query);
    },
  },
  'List the executions inside of an execution': {
    commands: 'GetItem, Query',
    units: 1,
    indexes: 'GSI2',
    run: async (world) => {
      const { agentId, ...outer } = await running(world);
      const parent = { id: outer.id, rootAgentId: agentId, depth: 0, isAgent: true };
      await running(world, { parent, background: false });
      const query = { ...world.page(), parentExecutionId: outer.id };
      return () => agentExecutions(world.scope)(agentId ?? '', query);
    },
  },
  'Get an execution with its turns': {
    commands: 'GetItem, Query',
    units: 2,
    run: async (world) => {
      const { id, agentId } = await endedAgent(world);
      return () => executionDetails(world.scope).load(agentId ?? '', id);
    },
  },
  'Clean up after an agent with a run': {
    commands: '8 Query, GetItem, 2 BatchWriteItem, TransactWriteItems',
    units: [16, 22, 21.5],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { agentId } = await endedAgent(world);
      return () => world.clean(agentId ?? '');
    },
  },
  'Say that a run is followed': {
    commands: 'UpdateItem',
    units: 1,
    run: async (world) => {
      const execution = await running(world);
      return () => registerFollower(world.scope, execution);
    },
  },
  'Show a piece of a turn to those who follow it': {
    commands: 'PutItem',
    units: 1,
    run: async (world) => {
      const { id } = await running(world);
      return () => chunkStore(world.scope, id).write(piece);
    },
  },
  'Look for new pieces of a run': {
    commands: 'Query',
    units: 0.5,
    run: async (world) => {
      const { id } = await running(world);
      const { write, read } = chunkStore(world.scope, id);
      await write(piece);
      return () => read(0, undefined);
    },
  },
  'Look for new events of a run': {
    commands: 'GetItem, Query',
    units: 2,
    run: async (world) => {
      const { id } = await endedAgent(world);
      return () => Array.fromAsync(followRun(world.scope, id, -1, new AbortController().signal));
    },
  },
};
