import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { makeBareBundle, makeBundles } from '../measure/bundles.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { install } from '../measure/install.ts';

const starts = 15;

/** Beside a Lambda with nothing but the document client: at most how many times its start. */
const goals = {
  'records.get': 1.5,
  'dispatch.run': 2.5,
  'workers.run-record': 2.5,
  'workers.run-agent': 2.5,
};

interface Start {
  /** From the start of the process until it asks for its first event. */
  ms: number;
  cpuMs: number;
}

/**
 * How long a Lambda takes to start under AWS's runtime client, from the start of the process until it asks for its first
 * event, with V8's compile cache and without.
 * @throws Missing
 */
export async function measureLambdaStart(): Promise<Figure[]> {
  const name = 'aws-lambda-ric';
  const client = join(
    await install({ name, packages: [`${name}@4`], built: [name] }),
    `node_modules/${name}/index.mjs`,
  );
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-lambda-'));
  const folderOf = await makeBundles(directory.path);
  const bare = await makeBareBundle(directory.path);
  const figures: Figure[] = [];
  for (const [lambda, atMost] of Object.entries(goals)) {
    printProgress(`lambda: start of ${lambda}, in turns with a bare handler`);
    const folder = folderOf(lambda);
    const cache = join(directory.path, 'cache', lambda);
    await fillCache(folder, cache);
    const turns = { ours: [] as Start[], cached: [] as Start[], bare: [] as Start[] };
    for (let turn = 0; turn <= starts; turn++) {
      turns.ours.push(await startOf(client, folder));
      turns.cached.push(await startOf(client, folder, { NODE_COMPILE_CACHE: cache }));
      turns.bare.push(await startOf(client, bare));
    }
    figures.push(figureOf(lambda, atMost, turns));
  }
  return figures;
}

function figureOf(
  lambda: string,
  atMost: number,
  turns: Record<'ours' | 'cached' | 'bare', Start[]>,
): Figure {
  // The first of each reads from the disk.
  const medianOf = (starts: Start[], unit: keyof Start) => median(starts.slice(1).map((it) => it[unit]));
  const both = (starts: Start[]) => ({
    ms: round(medianOf(starts, 'ms'), 1),
    cpuMs: round(medianOf(starts, 'cpuMs'), 1),
  });
  const [ours, cached, bare] = [both(turns.ours), both(turns.cached), both(turns.bare)];
  return {
    figure: 'lambda',
    what: `start of ${lambda} under AWS's runtime client, over that of a bare handler`,
    value: round(ours.cpuMs / bare.cpuMs),
    unit: 'times',
    goal: { atMost },
    details: { ours, withCompileCache: cached, bare, starts },
  };
}

/** Starts a Lambda as AWS does. It is killed when it asks for its first event. */
async function startOf(client: string, folder: string, more: NodeJS.ProcessEnv = {}): Promise<Start> {
  const api = createServer();
  await once(api.listen(0, '127.0.0.1'), 'listening');
  const env = {
    ...more,
    AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${(api.address() as AddressInfo).port}`,
    AWS_LAMBDA_FUNCTION_NAME: 'measured',
    _HANDLER: 'index.handler',
    AWS_REGION: 'eu-central-1',
    LAMBDA_TASK_ROOT: folder,
  };
  const started = performance.now();
  const child = spawn(process.execPath, [client], { cwd: folder, env, stdio: 'ignore' });
  const exit = once(child, 'exit');
  try {
    const [asked] = await Promise.race([
      once(api, 'request'),
      exit.then(([code]) => Promise.reject(new Error(`${folder} ended with ${code}`))),
    ]);
    if (!asked.url.endsWith('/invocation/next')) throw new Error(`${folder} sent ${asked.url}`);
    return { ms: performance.now() - started, cpuMs: await cpuMsOf(child.pid) };
  } finally {
    child.kill('SIGKILL');
    api.closeAllConnections();
    api.close();
    await exit;
  }
}

/** Of all threads of a process on Linux that are still there. */
async function cpuMsOf(pid: number | undefined): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = threads.map((thread) =>
    readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0'),
  );
  // Its first number is nanoseconds on a processor.
  return (await Promise.all(times)).reduce((sum, line) => sum + Number.parseInt(line, 10), 0) / 1e6;
}

/** Loads the bundle in a process that ends by itself, which stores V8's cache. */
async function fillCache(folder: string, NODE_COMPILE_CACHE: string) {
  const script = `await import(${JSON.stringify(pathToFileURL(join(folder, 'index.mjs')).href)})`;
  const env = { ...process.env, NODE_COMPILE_CACHE };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env });
}
