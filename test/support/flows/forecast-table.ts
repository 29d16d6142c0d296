import { pricedModel } from '../models/model-configs.ts';
import { newTenant, type Tenant } from '../stack/stack.ts';
import { createRecords, expectStatus, finishedBatch, publishedFlow, template } from './flows.ts';

interface Row {
  flow: string;
  expected: number;
  max: number | null;
  /** What the run then cost. */
  cost: number;
}

/** Numbers that look random, and are the same each time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const ask = (name: string, model: string, userPrompt: string, more: object = {}) => ({
  type: 'prompt',
  name,
  config: { model, userPrompt, outputVariable: name, ...more },
});
const about = 'About {{ _record.metadata.value }}';
const isLong = '_record.metadata.value.length > 300';

/** Ten flows whose costs depend on their records in different ways. */
const flows: Record<string, (model: string) => object[]> = {
  'one prompt': (model) => [ask('a', model, about)],
  'a prompt of fixed length': (model) => [ask('a', model, 'Say hello, and nothing else')],
  'a long system prompt': (model) => [
    ask('a', model, about, { systemPrompt: 'Be brief and clear. '.repeat(50) }),
  ],
  'a template before the prompt': (model) => [
    template('{{ _record.name }}: {{ _record.metadata.value }}', 'text'),
    ask('a', model, 'Rewrite {{ text }}'),
  ],
  'two prompts in a row': (model) => [ask('a', model, about), ask('b', model, 'Shorter: {{ a }}')],
  'three prompts in a row': (model) => [
    ask('a', model, about),
    ask('b', model, 'Shorter: {{ a }}'),
    ask('c', model, 'As a title: {{ b }}'),
  ],
  'an output inserted twice': (model) => [ask('a', model, about), ask('b', model, '{{ a }} or {{ a }}?')],
  'a prompt for long records only': (model) => [
    ask('a', model, about),
    { ...ask('b', model, about), when: isLong },
  ],
  'a conditional on the record': (model) => [
    {
      type: 'conditional',
      name: 'which',
      config: {
        condition: isLong,
        trueSteps: [ask('a', model, `Summarise: ${about}`)],
        falseSteps: [ask('b', model, 'Short')],
      },
    },
  ],
  'a prompt on a condition of an output': (model) => [
    ask('a', model, about),
    { ...ask('b', model, 'Shorter: {{ a }}'), when: 'a.length > 200' },
  ],
};

async function costOfRun({ call }: Tenant, flowId: string, recordType: string): Promise<number> {
  const body = { recordType, options: { maxRetries: 0, recordConcurrency: 20 } };
  const { body: answer } = await call('POST', `/v1/flows/${flowId}/run-on-record-type`, { body });
  await finishedBatch({ call } as Tenant, answer.batchId);
  return (await expectStatus(200, call('GET', `/v1/batch/${answer.batchId}/cost`))).totalCostUsd;
}

/** Runs each flow on 100 records, and forecasts what it costs on 120 others; then runs it on those. */
export async function forecastTable(): Promise<Row[]> {
  const tenant = await newTenant();
  const model = await pricedModel(tenant, { mapping: 'echo', input: 1, output: 4, tokensMax: 1_000 });
  const random = seeded(7);
  const text = () => 'some words '.repeat(2 + Math.floor(60 * random()));
  await createRecords(tenant, 'known', 100, text);
  await createRecords(tenant, 'new', 120, text);
  const rows: Row[] = [];
  for (const [flow, stepsFor] of Object.entries(flows)) {
    const { id: flowId } = await publishedFlow(tenant, stepsFor(model));
    await costOfRun(tenant, flowId, 'known');
    const body = { flowId, recordType: 'new', options: { maxRetries: 0 } };
    const { cost: forecast } = await expectStatus(200, tenant.call('POST', '/v1/batch/forecast', { body }));
    const cost = await costOfRun(tenant, flowId, 'new');
    rows.push({ flow, expected: Number(forecast.expected), max: Number(forecast.max), cost });
  }
  return rows;
}
