import { localUser } from '../../infra/local/credentials.ts';
import { newId } from '../../shared/core/ids.ts';
import { requestHash } from '../../shared/execution/engine/try-step.ts';
import { checkpointEntity } from '../../shared/execution/runs/checkpoint.ts';
import { findEarlierResults, readEarlier } from '../../shared/execution/runs/reused-results.ts';
import { decode, encode } from '../../shared/platform/data/entity.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { toTenant } from '../../shared/platform/identity/principal.ts';
import { runtimeOn, useTable } from '../http/warm-get.ts';
import { cpuSamples, samplingFacts } from '../measure/cpu-samples.ts';
import { type Figure, median, round } from '../measure/figure.ts';
import type { BenchStack } from '../measure/stack.ts';
import { stepsPerFlow } from './batch.ts';

export const reuseGoals = { cpuMs: { atMost: 0.2 }, units: { atMost: 0.5 } };

export async function cpuOfHashes(stack: BenchStack, flowId: string): Promise<Figure> {
  const [first] = await stepsOf(stack, flowId);
  const content = 'Say one sentence about an airport. '.repeat(30);
  const request = { ...first?.config, messages: [{ role: 'user', content }] };
  const plan = { request, models: ['generic-openai/gpt-4.1-nano'] };
  const identity = async () => ({ provider: 'generic-openai', modelId: 'gpt-4.1-nano', settings: {} });
  const ports = { model: { identity } } as unknown as Parameters<typeof requestHash>[2];
  const hash = async () => {
    for (let step = 0; step < stepsPerFlow; step++) await requestHash('prompt', plan as never, ports);
  };
  const samples = await cpuSamples({ hash });
  return {
    figure: 'reuse',
    what: 'CPU time of the hashes of a record of three prompts',
    value: round(median(samples.map((sample) => sample.hash))),
    unit: 'ms',
    goal: reuseGoals.cpuMs,
    details: samplingFacts,
  };
}

export async function unitsOfHashes(stack: BenchStack): Promise<Figure> {
  const scope = scopeOf(stack);
  const stored = await storedOf(scope, await recordIds(stack, 'plain'));
  const units = stored.flat().map((item) => {
    const whole = decode(checkpointEntity, item);
    const results = whole.results.map(({ request: _hash, ...result }) => result);
    return { with: unitsOf(scope, whole), without: unitsOf(scope, { ...whole, results }) };
  });
  const perRecord = (of: 'with' | 'without') =>
    units.reduce((sum, each) => sum + each[of], 0) / stored.length;
  return {
    figure: 'reuse',
    what: 'write units that the hashes add to a record of three prompts',
    value: round(perRecord('with') - perRecord('without')),
    unit: 'units',
    goal: reuseGoals.units,
    details: {
      with: round(perRecord('with')),
      without: round(perRecord('without')),
      records: stored.length,
    },
  };
}

/** Of a transaction, which writes each KB twice. */
const unitsOf = ({ table }: Scope, checkpoint: object) => {
  const item = encode(checkpointEntity, table.tenant, checkpoint as never);
  return 2 * Math.ceil(Buffer.byteLength(JSON.stringify(item, asBytes)) / 1_024);
};

/** Binary values count with their bytes; a Buffer has become an object when its value is given. */
function asBytes(this: Record<string, unknown>, name: string, value: unknown) {
  const binary = this[name];
  return binary instanceof Uint8Array ? '.'.repeat(binary.length) : value;
}

export async function cpuOfLookup(stack: BenchStack, flowId: string): Promise<Figure> {
  const scope = scopeOf(stack);
  const ids = await recordIds(stack, 'fresh');
  const [items = []] = await storedOf(scope, ids);
  const hashes = items.flatMap((item) =>
    decode(checkpointEntity, item).results.map(({ request = '' }) => request),
  );
  const steps = await stepsOf(stack, flowId);
  let at = 0;
  const samples = await cpuSamples({
    reading: () => readEarlier(scope, ids[at++ % ids.length] ?? ''),
    async finding() {
      const found = await findEarlierResults(scope, items, { runId: newId('exec'), flowId }, { reuse: {} });
      for (const { id = '' } of steps)
        if (!(await found.findByRequest(id, hashes))) throw new Error('A result was not found');
    },
  });
  const of = (value: (sample: (typeof samples)[number]) => number) => round(median(samples.map(value)));
  return {
    figure: 'reuse',
    what: 'CPU time of the look-up of the results of a record of three prompts, with its Query',
    value: of(({ finding, reading }) => finding + reading),
    unit: 'ms',
    goal: reuseGoals.cpuMs,
    details: {
      readingMs: of(({ reading }) => reading),
      findingMs: of(({ finding }) => finding),
      items: items.length,
      ...samplingFacts,
    },
  };
}

const stepsOf = async ({ api }: BenchStack, id: string) =>
  (await api.call('flows.get', { params: { id } })).flowSteps;

function scopeOf({ facts }: BenchStack): Scope {
  useTable(facts.aws.dynamodb, facts.table);
  return runtimeOn(facts.table)().scopeOf(toTenant(localUser, null));
}

async function recordIds({ api }: BenchStack, type: string): Promise<string[]> {
  const { data } = await api.call('records.list', { query: { type, limit: 100 } });
  return data.map(({ id }) => id);
}

const storedOf = (scope: Scope, ids: readonly string[]) =>
  Promise.all(ids.map((id) => readEarlier(scope, id)));
