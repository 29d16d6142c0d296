import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StackFacts } from '../../infra/local/stack.ts';
import { OperationError } from '../../infra/operations/deployment/operation.ts';
import { listProcessTree, type Running, readCpuMs, readProc } from '../measure/processes.ts';
import { unlimitedRates } from '../measure/stack.ts';

/**
 * The service as a user starts it: `npm start` in a process tree, whose memory, files and processor time `/proc` tells.
 * A probe in its main process writes every five seconds what its heap holds.
 */
export async function startSoakService(directory: string, given: Record<string, string>) {
  const heapFile = join(directory, 'heap.json');
  const environment = {
    ...unlimitedRates,
    LOCAL_MODEL: 'off',
    LOG_LEVEL: 'warn',
    DATA_DIR: join(directory, 'data'),
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${probeOf(heapFile)}`,
    ...given,
  };
  /** How often the service wrote each line, without what differs. */
  const log = new Map<string, number>();
  let { child, facts } = await launch({ ...environment, PORT: '0' }, log);
  process.on('exit', () => child.kill('SIGTERM'));
  const pids = () => listProcessTree(child.pid as number).map(({ pid }) => pid);
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of pids().toReversed()) sendSignal(pid, signal);
  };

  async function stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
    const began = Date.now();
    const running = pids();
    if (signal === 'SIGKILL') signalAll(signal);
    else child.kill(signal);
    // A process that nobody waits for has no command line.
    while (running.some((pid) => readProc(pid, 'cmdline') !== '')) await sleep(20);
    return Date.now() - began;
  }

  return {
    /** Its addresses and keys stay the same. */
    facts,
    log,
    signalAll,
    stop,
    /** @returns in how many ms it ended, and was up again. */
    async restart(signal: 'SIGKILL' | 'SIGTERM') {
      const endedMs = await stop(signal);
      const began = Date.now();
      ({ child, facts } = await launch({ ...environment, PORT: new URL(facts.url).port }, log));
      return { endedMs, startedMs: Date.now() - began };
    },
    measure() {
      const heap = JSON.parse(readFileSync(heapFile, 'utf8')) as NodeJS.MemoryUsage;
      const disk = bytesOf(environment.DATA_DIR) / megabyte;
      return {
        ...residenceOf(listProcessTree(child.pid as number)),
        heap: heap.heapUsed / megabyte,
        external: heap.external / megabyte,
        disk,
      };
    },
  };
}

export type SoakService = Awaited<ReturnType<typeof startSoakService>>;

const megabyte = 2 ** 20;

const probeOf = (file: string) => {
  const source = `import { isMainThread } from 'node:worker_threads';
import { writeFileSync } from 'node:fs';
const write = () => writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.memoryUsage()));
if (isMainThread && process.argv[1]?.endsWith('local/main.ts')) {
  write();
  setInterval(write, 5_000).unref();
}`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
};

async function launch(environment: Record<string, string>, log: Map<string, number>) {
  const child: ChildProcess = spawn('npm', ['start', '--silent', '--', '--json'], {
    cwd: new URL('../..', import.meta.url),
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = [child.stdout, child.stderr].map((input) =>
    createInterface({ input: input as Readable }),
  );
  errors?.on('line', (line) => {
    const same = line.replaceAll(/\d{3,}|\b[a-z]+_[0-9a-z]{26}/g, '…').slice(0, 400);
    log.set(same, (log.get(same) ?? 0) + 1);
  });
  const [line] = await Promise.race([once(output as never, 'line'), once(child, 'exit')]);
  if (typeof line !== 'string')
    throw new OperationError(`The service did not start: ${[...log.keys()].join('\n')}`);
  return { child, facts: JSON.parse(line) as StackFacts };
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone with another one.
  }
}

const kinds = {
  main: /local\/main\.ts/,
  workers: /worker-process/,
  queues: /queue-server/,
  engine: /^\S*dynoxide/,
};

/** MB by process, npm and shells apart; how many files they have open; the seconds of processors that they have taken. */
function residenceOf(tree: readonly Running[]) {
  const sums = { main: 0, workers: 0, queues: 0, engine: 0, npm: 0, files: 0, cpu: 0 };
  for (const running of tree) {
    const { pid, command } = running;
    const isShell = /^(\/bin\/)?sh |^npm/.test(command);
    const kind = Object.entries(kinds).find(([, pattern]) => !isShell && pattern.test(command))?.[0] ?? 'npm';
    sums[kind as keyof typeof kinds] +=
      Number(/VmRSS:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1] ?? 0) / 1_024;
    sums.files += readdirSync(`/proc/${pid}/fd`).length;
    sums.cpu += readCpuMs(running) / 1_000;
  }
  return { rss: sums.main + sums.workers + sums.queues + sums.engine, ...sums };
}

function bytesOf(directory: string): number {
  const files = readdirSync(directory, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return files.reduce((sum, { parentPath, name }) => sum + sizeOf(join(parentPath, name)), 0);
}
