import { setTimeout as sleep } from 'node:timers/promises';
import { publishBenchFlow, runBatch, uploadFirstAirports } from '../flows/batch.ts';
import { printProgress, round } from '../measure/figure.ts';
import type { ResourceUse } from '../measure/prices.ts';
import { type BenchStack, startBenchStack, startModelServer } from '../measure/stack.ts';
import { measureUse } from '../measure/use.ts';
import { measureRuns, type RunName } from './run-units.ts';

const requests = 500;
const records = 1_000;
const warmUpRecords = 200;
const fileRows = 10_000;

/** The use of one of each. */
export interface RequestUse extends ResourceUse {
  /** The body of the response. */
  responseBytes: number;
}
export interface Units {
  measuredAt: string;
  requests: Record<RequestName, RequestUse>;
  runs: Record<RunName, RequestUse>;
  /** Of one record, by the kind of the flow (`bench/flows/batch.ts`). */
  records: Record<'local' | 'model' | 'prompt', ResourceUse>;
  /** Of one row of a file. */
  rows: Record<RowsName, ResourceUse>;
}
export type RowsName = 'created' | 'updated' | 'unchanged' | 'exported';
export type RequestName = 'read' | 'write' | 'list' | 'dispatch' | 'writeLarge' | 'readLarge';

/** Measures on the embedded stack what requests and records use. Takes three minutes. */
export async function measureUnits(): Promise<Units> {
  return { ...(await measureRequests()), rows: await measureRows(), runs: await measureRuns() };
}

/** Of a file of records of 150 bytes: created, changed by an upsert, found equal by one, and exported. */
async function measureRows(): Promise<Units['rows']> {
  await using stack = await startBenchStack({ metrics: true });
  printProgress(`Files of ${fileRows} rows`);
  await importRows(stack, 'warm-up', 'create', 500);
  await exportRows(stack, 'warm-up');
  const importAll = (mode: 'create' | 'upsert', version?: string) =>
    measureUse(stack, fileRows, () => importRows(stack, 'measured', mode, fileRows, version));
  return {
    created: await importAll('create'),
    updated: await importAll('upsert', 'other'),
    unchanged: await importAll('upsert', 'other'),
    exported: await measureUse(stack, fileRows, () => exportRows(stack, 'measured')),
  };
}

async function importRows(
  { api }: BenchStack,
  type: string,
  mode: 'create' | 'upsert',
  count: number,
  version = 'one',
): Promise<void> {
  const body = { source: { upload: { fileName: 'rows.csv' } }, type, mode };
  const { id, upload } = await api.call('imports.create', { body });
  const rows = Array.from({ length: count }, (_, n) => `row ${n},${n},a text of some words, ${version}`);
  const file = `name,n,note,version\n${rows.join('\n')}\n`;
  await fetch(upload?.url ?? '', { method: 'PUT', body: file });
  await api.call('imports.start', { params: { id }, body: {} });
  await untilEnd(() => api.call('imports.get', { params: { id } }));
}

async function exportRows({ api }: BenchStack, recordType: string): Promise<void> {
  const body = { what: 'records' as const, format: 'csv' as const, filter: { recordType } };
  const { id } = await api.call('exports.create', { body });
  await untilEnd(() => api.call('exports.get', { params: { id } }));
}

async function untilEnd(ask: () => Promise<{ status: string }>): Promise<void> {
  for (;;) {
    const { status } = await ask();
    if (status === 'completed') return;
    if (status === 'failed') throw new Error('An import or an export failed');
    // Each look is a request that counts, too.
    await sleep(2_000);
  }
}

async function measureRequests(): Promise<Omit<Units, 'runs' | 'rows'>> {
  using models = await startModelServer();
  await using stack = await startBenchStack({ modelsUrl: models.url, metrics: true });
  return {
    measuredAt: new Date().toISOString().slice(0, 10),
    records: {
      local: await recordUse(stack, 'local'),
      model: await recordUse(stack, 'model'),
      prompt: await recordUse(stack, 'prompt'),
    },
    requests: await requestUses(stack),
  };
}

async function recordUse(stack: BenchStack, kind: 'local' | 'model' | 'prompt'): Promise<ResourceUse> {
  printProgress(`A batch of ${records} records, flow "${kind}"`);
  const [warmUp, measured] = [`warm-up-${kind}`, `measured-${kind}`];
  await uploadFirstAirports(stack.api, warmUp, warmUpRecords);
  await uploadFirstAirports(stack.api, measured, records);
  const flowId = await publishBenchFlow(stack.api, kind);
  await runBatch(stack.api, flowId, warmUp);
  return measureUse(stack, records, () => runBatch(stack.api, flowId, measured));
}

async function requestUses({ api, ...stack }: BenchStack): Promise<Units['requests']> {
  const flowId = await publishBenchFlow(api, 'local');
  // A flow over 200 KB is stored in the bucket.
  const createLarge = () =>
    api.call('flows.create', { body: { name: 'large', flowSteps: [largeStep, largeStep, largeStep] } });
  const { id: largeId } = await createLarge();
  const flow = { name: 'turn', steps: [promptStep] };
  const calls: Record<RequestName, (index: number) => Promise<unknown>> = {
    read: () => api.call('flows.get', { params: { id: flowId } }),
    write: (index) =>
      api.call('records.create', { body: { name: `record ${index}`, type: 'costs', metadata } }),
    list: () => api.call('records.list', { query: { type: 'costs', limit: 10 } }),
    dispatch: () => api.call('dispatch.run', { body: { flow, options: { streamResponse: false } } }),
    writeLarge: createLarge,
    readLarge: () => api.call('flows.get', { params: { id: largeId } }),
  };
  const uses: Partial<Units['requests']> = {};
  for (const [name, call] of Object.entries(calls) as [RequestName, (index: number) => Promise<unknown>][]) {
    printProgress(`${requests} requests, ${name}`);
    await times(20, (index) => call(-100 - index));
    const { length } = JSON.stringify(await call(-2));
    const use = await measureUse({ api, ...stack }, requests, () => times(requests, call));
    uses[name] = { ...use, responseBytes: round(length) };
  }
  return uses as Units['requests'];
}

const metadata = { text: 'x'.repeat(200) };
const largeStep = {
  type: 'template',
  name: 'Large',
  config: { template: 'x'.repeat(75 * 1_024) },
} as const;
const promptStep = {
  type: 'prompt',
  name: 'Answer',
  config: {
    model: 'generic-openai/gpt-4.1-nano',
    userPrompt: 'Say one sentence.',
    outputVariable: 'sentence',
  },
} as const;

async function times(count: number, call: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < count; index++) await call(index);
}
