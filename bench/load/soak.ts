/**
 * A soak: the service as `npm start` runs it, in a new directory, under a mixed load at a bounded rate, with faults at
 * given minutes.
 *
 * Each minute it prints what the processes hold and how requests went. At the end it reads everything again: what was
 * acknowledged must be there, what was deleted must not, every run must be over, and each effect that the driver's own
 * server received must have come once. A request whose connection broke is not repeated, and promises nothing.
 * Linux alone: it reads `/proc`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fetch as fetchPieces } from 'undici';
import { OperationError, runOperation } from '../../infra/operations/deployment/operation.ts';
import { countFailure } from './meter.ts';
import { newPromises, prepareOperations, startOutside, whole } from './soak-operations.ts';
import { type SoakService, startSoakService } from './soak-service.ts';

const usage = `node bench/load/soak.ts [--minutes 30] [--rate 26] [--faults] [--keep]
  --kill 8,14,20 --term 23 --freeze 11 --idle 17 --slow 26 --flood 28: the minutes at which to kill -9 all processes and
    start again, to stop them by SIGTERM and start again, to freeze them for 20 s, to open 1,200 idle connections, and to
    send 50 bodies of 5 MB slowly, and at once
  --faults: all of these, in proportion to the minutes
  --keep: leaves the data directory`;

const usualMinutes = 30;
const usualFaults = { kill: '8,14,20', term: '23', freeze: '11', idle: '17', slow: '26', flood: '28' };
type Fault = keyof typeof usualFaults;
const minuteMs = 60_000;
const atOnceMax = 300;

const print = (line: string) => void process.stdout.write(`${line}\n`);
const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

async function soak(): Promise<void> {
  const plan = planOf(process.argv.slice(2));
  if (!plan) return print(usage);
  const directory = mkdtempSync(join(tmpdir(), 'soak-'));
  const outside = await startOutside();
  const service = await startSoakService(directory, {
    GENERIC_OPENAI_BASE_URL: outside.models.url,
    LOCAL_ALLOWED_HOSTS: outside.host,
  });
  const promises = newPromises();
  const minutes = newMinutes(service);
  const { api, deck, flow } = await prepareOperations(service.facts, outside.host, promises, minutes.count);
  const state = { isUp: true };
  const faulting = plan.faults.map(async ({ name, at }) => {
    await sleep(at * minuteMs);
    print(`# ${name}`);
    const said = await faults[name](service, { state, body: { flow, options: whole } });
    if (said) print(`# ${name}: ${said}`);
  });
  minutes.begin();
  const ticker = setInterval(() => {
    if (state.isUp) minutes.print();
    outside.models.requests.length = 0;
  }, minuteMs);
  await Promise.all([sendAll(deck, plan, state, minutes), ...faulting]);
  print(`# ${JSON.stringify(Object.fromEntries([...minutes.totals].toSorted()))}`);
  const found = await findFaults(api, promises, outside.effects);
  await sleep(minuteMs);
  clearInterval(ticker);
  minutes.print();
  for (const [line, times] of service.log) print(`# logged ${times} times: ${line}`);
  await service.stop('SIGTERM');
  if (!plan.keep) rmSync(directory, { recursive: true });
  if (found.length > 0) throw new OperationError(found.join('\n'));
  print('Nothing is lost, and nothing was done twice.');
}

function planOf(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const names = { kill: text, term: text, freeze: text, idle: text, slow: text, flood: text };
  const { values } = parseArgs({
    args,
    options: { ...names, minutes: text, rate: text, faults: flag, keep: flag, help: flag },
  });
  if (values.help) return undefined;
  const minutes = Number(values.minutes ?? usualMinutes);
  const planned = (Object.keys(usualFaults) as Fault[]).flatMap((name) => {
    const usual = values.faults ? usualFaults[name] : '';
    const scaled = usual.split(',').map((at) => (Number(at) * minutes) / usualMinutes);
    const given = values[name]?.split(',').map(Number) ?? scaled;
    return given.filter((at) => at > 0).map((at) => ({ name, at }));
  });
  return { minutes, rate: Number(values.rate ?? 26), faults: planned, keep: values.keep };
}

interface Target {
  state: { isUp: boolean };
  /** Of a run that takes inputs. */
  body: object;
}

/** @returns what to print at their end. */
const faults: Record<Fault, (service: SoakService, target: Target) => Promise<string | undefined>> = {
  kill: (service, { state }) => restart(service, state, 'SIGKILL'),
  term: (service, { state }) => restart(service, state, 'SIGTERM'),
  async freeze({ signalAll }) {
    signalAll('SIGSTOP');
    await sleep(20_000);
    signalAll('SIGCONT');
    return undefined;
  },
  async idle({ facts }) {
    const { hostname, port } = new URL(facts.url);
    const open = () => connect(Number(port), hostname).on('error', () => {});
    const sockets = Array.from({ length: 1_200 }, open);
    await sleep(minuteMs);
    const closed = sockets.filter((socket) => socket.readyState !== 'open').length;
    for (const socket of sockets) socket.destroy();
    return `${closed} of ${sockets.length} were closed`;
  },
  slow: (service, { body }) => sendBodies(service, body, 100),
  flood: (service, { body }) => sendBodies(service, body, 1),
};

async function restart(service: SoakService, state: Target['state'], signal: 'SIGKILL' | 'SIGTERM') {
  state.isUp = false;
  const { endedMs, startedMs } = await service.restart(signal);
  state.isUp = true;
  return `ended after ${endedMs} ms, up again after another ${startedMs} ms`;
}

/** 50 bodies of 5 MB, each in so many pieces, one every 500 ms. */
async function sendBodies({ facts }: SoakService, run: object, pieces: number): Promise<string> {
  const text = Buffer.from(JSON.stringify({ ...run, inputs: { who: 'x'.repeat(5_000_000) } }));
  const bytes = Math.ceil(text.length / pieces);
  async function* inPieces() {
    for (let at = 0; at < text.length; at += bytes) {
      yield text.subarray(at, at + bytes);
      await sleep(500);
    }
  }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${facts.liveKey}` };
  const statuses = new Map<string, number>();
  const send = async () => {
    const request = { method: 'POST', headers, body: inPieces(), duplex: 'half' } as const;
    const response = await fetchPieces(`${facts.url}/v1/dispatch`, request);
    await response.text();
    add(statuses, String(response.status));
  };
  await Promise.all(
    Array.from({ length: 50 }, () => send().catch((error) => add(statuses, error.cause?.code ?? error.name))),
  );
  return JSON.stringify(Object.fromEntries(statuses));
}

type Minutes = ReturnType<typeof newMinutes>;

/** A row for each minute in which the service is up: MB, seconds of processors, and ms. */
function newMinutes(service: SoakService) {
  const totals = new Map<string, number>();
  let minute = { latencies: [] as number[], outcomes: {} as Record<string, number>, skipped: 0 };
  let began = performance.now();
  let cpuBefore = 0;
  const row = (cells: object, rest: string) =>
    print(
      Object.values(cells)
        .map((cell) => String(typeof cell === 'number' ? Math.round(cell) : cell).padStart(9))
        .join('') + rest,
    );

  function measure() {
    const { cpu, ...sizes } = service.measure();
    // Less than before after a restart.
    const spent = cpu < cpuBefore ? cpu : cpu - cpuBefore;
    cpuBefore = cpu;
    const sorted = minute.latencies.toSorted((one, other) => one - other);
    const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    const { skipped } = minute;
    const number = (performance.now() - began) / minuteMs;
    return { minute: number, ...sizes, cpu: spent, p50: at(0.5), p99: at(0.99), max: at(1), skipped };
  }

  return {
    totals,
    get current() {
      return minute;
    },
    begin() {
      began = performance.now();
      minute = { latencies: [], outcomes: {}, skipped: 0 };
      const titles = Object.keys(measure());
      row(titles, '  responses');
    },
    count(operation: string, status: number, body: string) {
      minute.outcomes[status] = (minute.outcomes[status] ?? 0) + 1;
      add(totals, `${operation} ${status}`);
      if (status >= 500 && status !== 503) print(`! ${operation} ${status}: ${body.slice(0, 300)}`);
    },
    print() {
      row(measure(), `  ${JSON.stringify(minute.outcomes)}`);
      minute = { latencies: [], outcomes: {}, skipped: 0 };
    },
  };
}

interface Pace {
  minutes: number;
  rate: number;
}

/** Has no common factor with the thousand of the deck, so that all kinds alternate. */
const stride = 619;

/** Each at its planned time, from which its latency counts, unless the service is down or too many are open. */
async function sendAll(
  deck: ((n: number) => Promise<unknown>)[],
  { minutes, rate }: Pace,
  state: Target['state'],
  measured: Minutes,
) {
  const began = performance.now();
  let open = 0;
  const send = async (n: number, plannedAt: number) => {
    open++;
    await deck[(n * stride) % deck.length]?.(n).catch((error) => countFailure(measured.current, error));
    open--;
    measured.current.latencies.push(performance.now() - plannedAt);
  };
  for (let n = 0; performance.now() < began + minutes * minuteMs; n++) {
    const plannedAt = began + (n * 1_000) / rate;
    await sleep(Math.max(0, plannedAt - performance.now()));
    if (state.isUp && open < atOnceMax) send(n, plannedAt);
    else measured.current.skipped++;
  }
  while (open > 0) await sleep(100);
}

type Api = Awaited<ReturnType<typeof prepareOperations>>['api'];
type Promises = ReturnType<typeof newPromises>;

/** @returns one sentence for each fault. */
async function findFaults(
  api: Api,
  promises: Promises,
  effects: ReadonlyMap<string, number>,
): Promise<string[]> {
  const found = [
    ...(await findInBatches(api, promises, effects)),
    ...(await findInEffects(api, promises, effects)),
  ];
  const present = new Set<string>();
  for await (const { id } of api.records.iterate({ query: { type: 'soak', limit: 100 } })) present.add(id);
  for (const id of promises.kept) if (!present.has(id)) found.push(`${id} was acknowledged and is missing`);
  for (const id of promises.deleted) if (present.has(id)) found.push(`${id} was deleted and is there`);
  for (const [type, created] of promises.uploads) {
    const text = (await api.call('records.export', { query: { type } })) ?? '';
    const rows = text.trimEnd().split('\n').length - 1;
    if (rows !== created) found.push(`${created} records of ${type} were acknowledged, ${rows} are there`);
  }
  print(
    `# records: ${promises.kept.size} kept, ${promises.deleted.size} deleted, ${present.size} there; ${promises.uploads.size} uploads`,
  );
  return found;
}

async function findInBatches(
  { call }: Api,
  { batches, uploads }: Promises,
  effects: ReadonlyMap<string, number>,
): Promise<string[]> {
  const found: string[] = [];
  const counts = { records: 0, failed: 0 };
  for (const [id, type] of batches) {
    const status = await ended(() => call('batches.status', { params: { id } }));
    counts.records += status.processedRecords;
    counts.failed += status.failedRecords;
    const came = [...effects.keys()].filter((name) => name.startsWith(`${type}-`)).length;
    if (status.processedRecords !== uploads.get(type) || came < status.successCount)
      found.push(`${came} effects of batch ${JSON.stringify(status)}`);
  }
  print(`# batches: ${batches.size}; of their ${counts.records} records ${counts.failed} failed`);
  return found;
}

async function findInEffects(
  { call }: Api,
  promises: Promises,
  effects: ReadonlyMap<string, number>,
): Promise<string[]> {
  const found: string[] = [];
  const said = new Map<string, number>();
  for (const [effect, id] of promises.effects) {
    if (effects.has(effect)) continue;
    const run = await ended(() => call('runs.get', { params: { id } }));
    if (run.status === 'failed') add(said, `${effect.split('-')[0]}: ${run.error}`);
    else found.push(`${effect} did not come, and its run ${id} is ${run.status}`);
  }
  for (const [effect, times] of effects) if (times > 1) found.push(`${effect} came ${times} times`);
  print(
    `# effects: ${promises.effects.size} promised, ${effects.size} came; not, and the run says so: ${JSON.stringify([...said])}`,
  );
  return found;
}

const endedWithinMs = 300_000;

/** A run or batch once it has ended, or as it is after five minutes. */
async function ended<Run extends { completedAt?: string | null | undefined }>(
  read: () => Promise<Run>,
): Promise<Run> {
  const deadline = Date.now() + endedWithinMs;
  for (;;) {
    const run = await read();
    if (run.completedAt || Date.now() > deadline) return run;
    await sleep(500);
  }
}

await runOperation(soak);
