import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationRequest } from '../../packages/client/src/client.ts';
import type { BenchApi } from '../measure/stack.ts';

type FlowSteps = NonNullable<OperationRequest<'flows.create'>['body']['flowSteps']>;

type BatchOptions = NonNullable<OperationRequest<'flows.run-on-record-type'>['body']['options']>;

const pollMs = 250;
const patienceMs = 120_000;

const transform = {
  type: 'transform-data',
  name: 'Compute',
  config: {
    script:
      'return { north: Number(_record.metadata.latitude) > 39, east: Number(_record.metadata.longitude) > -98 };',
    outputVariable: 'place',
  },
} as const;
const template = {
  type: 'template',
  name: 'Describe',
  config: {
    template:
      '{{ _record.metadata.name }} in {{ _record.metadata.city }} lies {% if place.north %}north{% else %}south{% endif %}',
    outputVariable: 'description',
  },
} as const;

const prompt = {
  type: 'prompt',
  name: 'Ask',
  config: {
    model: 'generic-openai/gpt-4.1-nano',
    userPrompt: 'Say one sentence about {{ _record.metadata.name }} in {{ _record.metadata.city }}.',
    outputVariable: 'sentence',
  },
} as const;

/** By kind: flows of three steps, and one of a single step. */
const flows = {
  local: [
    transform,
    template,
    {
      type: 'set-variable',
      name: 'Keep',
      config: { variableName: 'entry', value: { code: '{{ _record.name }}', text: '{{ description }}' } },
    },
  ],
  model: [transform, prompt, template],
  prompt: [prompt],
  map: [
    {
      type: 'map',
      name: 'Each',
      config: {
        items: 'Array.from({ length: 1000 }, (_, n) => ({ n, city: n }))',
        concurrency: 20,
        steps: [
          {
            ...prompt,
            config: { ...prompt.config, userPrompt: 'Say one sentence about the city {{ item.city }}.' },
          },
        ],
        output: 'sentence',
        outputVariable: 'sentences',
      },
    },
  ],
  prompts: ['first', 'second', 'third'].map((name) => ({
    ...prompt,
    name,
    config: { ...prompt.config, outputVariable: name },
  })),
} satisfies Record<string, FlowSteps>;
export type FlowKind = keyof typeof flows;
/** Of the flows `local`, `model` and `prompts`. */
export const stepsPerFlow = 3;

/** @returns how many records it created from the first airports. */
export async function uploadFirstAirports(
  { call }: BenchApi,
  recordType: string,
  count = Number.POSITIVE_INFINITY,
) {
  const csv = await readFile(new URL('../../examples/airports.csv', import.meta.url), 'utf8');
  const lines = csv
    .trimEnd()
    .split('\n')
    .slice(0, count + 1);
  const file = new File([lines.join('\n')], 'airports.csv');
  const { created } = await call('records.upload-csv', {
    body: { file, nameColumn: 'iata', typeValue: recordType },
  });
  return created;
}

const rowsOfUpload = 10_000;

/** As many records as asked for, with the members of the airports. */
export async function uploadPlaces({ call }: BenchApi, recordType: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += rowsOfUpload) {
    const rows = Array.from({ length: Math.min(rowsOfUpload, count - from) }, (_, index) => {
      const n = from + index;
      return `P${n},Place ${n},City ${n % 997},MS,USA,${(n % 90) + 0.5},${-(n % 170) - 0.5}`;
    });
    const file = new File(
      [['iata,name,city,state,country,latitude,longitude', ...rows].join('\n')],
      'places.csv',
    );
    await call('records.upload-csv', { body: { file, nameColumn: 'iata', typeValue: recordType } });
  }
}

export async function publishBenchFlow({ call }: BenchApi, kind: FlowKind): Promise<string> {
  const { id } = await call('flows.create', { body: { name: kind, flowSteps: flows[kind] } });
  await call('flows.publish', { params: { id } });
  return id;
}

/** Runs a flow on all records of a type. @returns the time from the request to the last record. */
export async function runBatch(
  { call }: BenchApi,
  flowId: string,
  recordType: string,
  options: BatchOptions = {},
  patience = patienceMs,
) {
  const began = Date.now();
  const { batchId } = await call('flows.run-on-record-type', {
    params: { id: flowId },
    body: { recordType, options },
  });
  while (Date.now() < began + patience) {
    const batch = await call('batches.status', { params: { id: batchId } });
    if (batch.completedAt !== undefined) {
      if (batch.successCount !== batch.totalRecords)
        throw new Error(`Records failed: ${JSON.stringify(batch)}`);
      return {
        id: batchId,
        records: batch.totalRecords,
        seconds: (Date.parse(batch.completedAt) - began) / 1_000,
      };
    }
    await sleep(pollMs);
  }
  throw new Error(`The batch ${batchId} is not over after ${patience / 1_000} s`);
}
