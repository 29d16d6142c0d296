import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { heapMegabytes, mallocSettings } from '../../infra/local/runtime/memory.ts';
import type { StackFacts } from '../../infra/local/stack.ts';
import { createClient } from '../../packages/client/src/client.ts';
import { printProgress } from './figure.ts';
import type { Probe, ProbeRequest } from './probe.ts';

export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;
export type BenchApi = BenchStack['api'];

interface StackOptions {
  /** Default: in memory. */
  dataDir?: string;
  modelsUrl?: string;
  /** Writes metrics as on AWS, and shows no log. */
  metrics?: boolean;
}

/** The embedded stack as `npm start` starts it, in a process of its own with a probe. */
export async function startBenchStack({ dataDir, modelsUrl, metrics }: StackOptions = {}) {
  const child = fork(pathOf('../../infra/local/main.ts'), ['--json', ...(dataDir ? [] : ['--ephemeral'])], {
    // What has a channel to its parent does not restart itself within its memory, so it gets what the restart would set.
    execArgv: [
      `--max-old-space-size=${heapMegabytes.main()}`,
      ...['--max-semi-space-size=8', '--expose-gc', '--import', pathOf('./probe.ts').href],
    ],
    serialization: 'advanced',
    // Ctrl-C on a terminal ends the bench, which ends the stack.
    detached: true,
    stdio: ['ignore', 'pipe', metrics ? 'ignore' : 'inherit', 'ipc'],
    env: {
      ...mallocSettings,
      ...process.env,
      ...unlimitedRates,
      PORT: '0',
      LOCAL_MODEL: 'off',
      ...(dataDir && { DATA_DIR: dataDir }),
      ...(metrics && { METRICS_NAMESPACE: 'agent-flow/bench' }),
      ...(modelsUrl && { GENERIC_OPENAI_BASE_URL: modelsUrl }),
    },
  });
  const facts = JSON.parse(await firstLine(child)) as StackFacts;
  const reportEnd = (code: number | null, signal: string | null) =>
    printProgress(`The stack ended during the measurement: ${signal ?? `code ${code}`}`);
  child.once('exit', reportEnd);
  return {
    facts,
    api: createClient({ baseUrl: facts.url, apiKey: facts.liveKey }),
    ask: asker(child),
    /** As a crash ends it, with its children. */
    async kill() {
      child.off('exit', reportEnd);
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.off('exit', reportEnd);
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

/** The bench exceeds the rate limit of a key. */
export const unlimitedRates = { RATE_LIMIT_PER_HOUR: '1000000', RATE_LIMIT_PER_DAY: '1000000' };

/** However the parent exits, the child sees its channel close. */
const endWithParent = 'data:text/javascript,process.on("disconnect", () => process.exit())';

const pathOf = (file: string) => new URL(file, import.meta.url);

/** Models that call a tool first. */
export const agentModels = pathOf('../agents/agent-models.ts');

/** An OpenAI-compatible server that responds at once or after a delay, in a process of its own. */
export async function startModelServer(
  file = pathOf('../../examples/model-stand-in.ts'),
  { delayMs = 0 } = {},
) {
  const child = fork(file, {
    execArgv: ['--import', endWithParent],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, PORT: '0', MODEL_DELAY_MS: String(delayMs) },
  });
  const [, url] = (await firstLine(child)).split('=');
  if (!url) throw new Error('The model stand-in did not start');
  return {
    url,
    [Symbol.dispose]() {
      child.kill();
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as Readable });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${child.spawnargs[1]} ended with ${code} before it was ready`);
  });
  const [line] = await Promise.race([once(lines, 'line'), ended]);
  return line;
}

function asker(child: ChildProcess) {
  const waiting = new Map<number, (answer: never) => void>();
  let questions = 0;
  child.on('message', ({ id, answer }: { id: number; answer: never }) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  });
  return <Name extends keyof Probe>(name: Name, ...[argument]: Parameters<Probe[Name]>) =>
    new Promise<Awaited<ReturnType<Probe[Name]>>>((resolve) => {
      const id = questions++;
      waiting.set(id, resolve);
      child.send({ id, name, argument } satisfies ProbeRequest);
    });
}
