import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { install, Missing, unlessMissing } from '../measure/install.ts';
import { agentModels, startBenchStack, startModelServer } from '../measure/stack.ts';
import type { RunsOrder, RunsReport } from './agents/serve-runs.mts';
import { postgresUrl, startPostgres } from './postgres.ts';

const turns = 3;
const atOnce = 16;
const warmUpRuns = 320;
const runs = 160;

/** A product for agents whose runs survive the end of their process. */
interface AgentPeer {
  name: string;
  /** Its program in `agents/`, without the ending; also the name of its folder. */
  program: string;
  packages: readonly string[];
  storage: 'postgres' | 'file';
}

const peers: readonly AgentPeer[] = [
  {
    name: 'LangGraph with Postgres',
    program: 'langgraph',
    packages: [
      '@langchain/langgraph@1',
      '@langchain/langgraph-checkpoint-postgres@1',
      '@langchain/openai@1',
      '@langchain/core@1',
      'zod@4',
    ],
    storage: 'postgres',
  },
  {
    name: 'Mastra with LibSQL',
    program: 'mastra',
    packages: ['@mastra/core@1', '@mastra/libsql@1', '@ai-sdk/openai-compatible@3', 'zod@4'],
    storage: 'file',
  },
  {
    name: 'DBOS around the AI SDK',
    program: 'dbos-ai-sdk',
    packages: ['@dbos-inc/dbos-sdk@5', 'ai@7', '@ai-sdk/openai-compatible@3'],
    storage: 'postgres',
  },
];

/** Runs of agents of two turns with one tool call, ours on disk and those of each peer in turns, with the same model. */
export async function measureAgentsPeers(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const peer of peers)
    figures.push(...(await unlessMissing(`agents-peers: ${peer.name}`, () => besideAgents(peer))));
  return figures;
}

async function besideAgents(peer: AgentPeer): Promise<Figure[]> {
  const folder = await preparedFolder(peer);
  const stop = peer.storage === 'postgres' ? await startPostgres() : async () => {};
  try {
    using models = await startModelServer(agentModels);
    await using data = await mkdtempDisposable(join(tmpdir(), 'bench-agents-'));
    await using stack = await startBenchStack({ dataDir: join(data.path, 'stack') });
    const theirEnv = {
      MODEL_URL: models.url,
      POSTGRES_URL: postgresUrl,
      DATA_DIR: data.path,
      MASTRA_TELEMETRY_DISABLED: '1',
    };
    using theirs = await startRunner(join(folder, `${peer.program}.mjs`), theirEnv, Missing);
    const ourEnv = {
      MODEL_URL: models.url,
      DYNAMODB_URL: stack.facts.aws.dynamodb,
      TABLE_NAME: stack.facts.table,
    };
    using ours = await startRunner(join(import.meta.dirname, 'agents/this-service.ts'), ourEnv, Error);
    return figuresOf(peer, await readingsInTurns(peer, { ours, theirs }));
  } finally {
    await stop();
  }
}

async function preparedFolder({ program, packages }: AgentPeer): Promise<string> {
  const folder = await install({ name: `agents-${program}`, packages });
  for (const file of [`${program}.mjs`, 'task.mjs', 'serve-runs.mts'])
    await cp(join(import.meta.dirname, 'agents', file), join(folder, file));
  return folder;
}

interface Reading {
  cpuMs: number;
  perSecond: number;
}

interface Runner extends Disposable {
  /** @throws if a run fails */
  make: (runs: number) => Promise<Reading>;
}

/** A process that makes runs when it is asked to. @param Failure What is thrown when it ends. */
async function startRunner(
  program: string,
  env: Record<string, string>,
  Failure: new (message: string) => Error,
): Promise<Runner> {
  const child = fork(pathToFileURL(program), {
    cwd: join(program, '..'),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Failure(`${program} ended with ${code}`);
  });
  failed.catch(() => {});
  await Promise.race([once(child, 'message'), failed]);
  return {
    async make(runs) {
      child.send({ runs, atOnce } satisfies RunsOrder);
      return toReading(await Promise.race([nextReport(child), failed]), runs);
    },
    [Symbol.dispose]() {
      child.kill();
    },
  };
}

const nextReport = async (child: ChildProcess): Promise<RunsReport> => (await once(child, 'message'))[0];

function toReading(report: RunsReport, runs: number): Reading {
  if ('failure' in report) throw new Error(report.failure);
  return { cpuMs: report.cpuMs / runs, perSecond: runs / report.seconds };
}

type Turn = Record<'ours' | 'theirs', Reading>;

async function readingsInTurns(
  { name }: AgentPeer,
  { ours, theirs }: Record<'ours' | 'theirs', Runner>,
): Promise<Turn[]> {
  printProgress(`agents-peers: ${name}`);
  for (const runner of [ours, theirs]) await runner.make(warmUpRuns);
  const all: Turn[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    printProgress(`agents-peers: ${name}, turn ${turn} of ${turns}`);
    all.push({ ours: await ours.make(runs), theirs: await theirs.make(runs) });
  }
  return all;
}

function figuresOf({ name }: AgentPeer, all: readonly Turn[]): Figure[] {
  const of = (value: (turn: Turn) => number) => round(median(all.map(value)), 2);
  const figure = (what: string, value: (turn: Turn) => number, details: object): Figure => ({
    figure: 'agents-peers',
    what: `${what}, ${atOnce} at once, beside ${name}`,
    value: of(value),
    unit: 'times',
    goal: { atLeast: 2 },
    details: { ...details, turns: all.map((turn) => round(value(turn), 2)), runs },
  });
  return [
    figure(
      'CPU time of the agents’ process for a durable run of two turns and a tool call, theirs as a multiple of ours',
      ({ ours, theirs }) => theirs.cpuMs / ours.cpuMs,
      {
        oursMs: of(({ ours }) => ours.cpuMs),
        theirsMs: of(({ theirs }) => theirs.cpuMs),
      },
    ),
    figure(
      'durable runs a second of two turns and a tool call, ours as a multiple of theirs',
      ({ ours, theirs }) => ours.perSecond / theirs.perSecond,
      {
        oursPerSecond: of(({ ours }) => ours.perSecond),
        theirsPerSecond: of(({ theirs }) => theirs.perSecond),
      },
    ),
  ];
}
