import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startStack } from '../../infra/local/stack.ts';
import { type Client, createClient, type OperationResponse } from '../../packages/client/src/client.ts';
import { askAgent } from './agent.ts';
import { askPerson } from './approval.ts';
import { DemoError } from './demo-error.ts';
import { guideFlow, guideType, postcardFlow } from './flow.ts';
import { chooseModel } from './model.ts';
import {
  count,
  heading,
  liveText,
  note,
  printLabelled,
  progressPrinter,
  shortDuration,
  show,
} from './output.ts';
import { type DemoStepResult, printStepResults, showByStep } from './results.ts';
import { showRuns } from './runs.ts';

const pollMs = 100;

/** Runs a flow on records and dispatches one, starting from an empty service and using only the API. */
export async function runScenario(running: AsyncDisposableStack, onFailure: (what: string) => void) {
  const began = performance.now();
  heading('Demo: a flow runs on records, and an agent answers');
  const model = await chooseModel();
  running.defer(model.close);
  printLabelled('Model', model.description);
  const stack = await startStack({ port: 0, onFailure });
  running.defer(stack.stop);
  printLabelled('Stack', `${stack.facts.url}, data in memory (${since(began)})`);

  const client = createClient({ baseUrl: stack.facts.url, apiKey: stack.facts.liveKey });
  await uploadAirports(client);
  const config = await createConfig(client, model.name);
  const flow = await publishFlow(client, config);
  const batch = await runFlow(client, flow.id, process.env.DEMO_STATE || model.state);
  const results = await allResults(client, flow.id);
  heading(`Steps, over all ${count(batch.totalRecords)} airports`);
  showByStep(flow.flowSteps, results);
  await showOne(client, results);
  await dispatch(client, config);
  await askAgent(client, config);
  await askPerson(client, config);
  await showRuns(client);
  await showUsage(client);
  note('');
  if (batch.failedRecords > 0) throw new DemoError(failureIn(results, batch));
  note(`Done in ${since(began)}. Next: run npm start and follow "Run it" in README.md.`);
}

const since = (began: number) => shortDuration(performance.now() - began);

async function uploadAirports(client: Client) {
  const began = performance.now();
  const path = fileURLToPath(new URL('../airports.csv', import.meta.url));
  const file = new File([await openAsBlob(path)], 'airports.csv');
  const { created } = await client.records.uploadCsv({
    body: { file, nameColumn: 'iata', typeColumn: 'state' },
  });
  printLabelled(
    'Upload',
    `examples/airports.csv: ${count(created)} records; the state is the type (${since(began)})`,
  );
}

/** Creates the model config that the flows name. @returns its id. */
async function createConfig(client: Client, model: string): Promise<string> {
  const provider = model.startsWith('openai/') ? 'openai' : 'generic-openai';
  const modelId = model.slice(provider.length + 1);
  const config = await client.modelConfigs.create({ body: { provider, modelId } });
  const { costPer1kTokens: cost } = config;
  const price = cost === undefined ? 'without a price' : `${cost} USD per 1,000 tokens`;
  printLabelled('Config', `${config.id}: ${config.displayName}, ${price}`);
  return config.id;
}

async function publishFlow(client: Client, model: string) {
  const flow = await client.flows.create({ body: guideFlow(model) });
  const { publishedVersionId } = await client.flows.publish({ params: { id: flow.id } });
  const steps = flow.flowSteps.map(({ type }) => type).join(', ');
  printLabelled('Flow', [`"${flow.name}": ${steps}`, `published as ${publishedVersionId}`]);
  return flow;
}

async function runFlow(client: Client, id: string, recordType: string) {
  const run = await client.flows.runOnRecordType({ params: { id }, body: { recordType } });
  printLabelled('Run', `${count(run.recordCount)} records of the type ${recordType}, as ${run.batchId}`);
  const began = performance.now();
  const showProgress = progressPrinter('Progress');
  for (;;) {
    const batch = await client.batches.status({ params: { id: run.batchId } });
    showProgress(batch.processedRecords, batch.totalRecords);
    if (batch.completedAt !== undefined) {
      const { status, processedRecords, failedRecords } = batch;
      printLabelled(
        'Result',
        `${status}: ${count(processedRecords)} processed, ${failedRecords} failed (${since(began)})`,
      );
      return batch;
    }
    await sleep(pollMs);
  }
}

const allResults = (client: Client, id: string): Promise<DemoStepResult[]> =>
  Array.fromAsync(
    client.flows.stepResults.iterate({ params: { id }, query: { limit: 100, sortOrder: 'asc' } }),
  );

async function showOne(client: Client, results: DemoStepResult[]) {
  const made = results.find(({ stepType, status }) => stepType === 'upsert-record' && status === 'completed');
  const { recordId, recordName } = made ?? results[0] ?? {};
  heading(`Step results of one airport, ${recordName}`);
  printStepResults(results.filter((result) => result.recordId === recordId));
  if (!made || !recordName) return;
  heading(`The record that the flow created: GET /v1/records?type=${guideType}&name=${recordName}`);
  const { data } = await client.records.list({ query: { type: guideType, name: recordName } });
  show(data[0]?.metadata ?? {});
}

/** Runs a flow that is not stored, and prints its text as the model writes it. */
async function dispatch(client: Client, model: string) {
  heading('An inline flow, streamed: POST /v1/dispatch');
  const body = postcardFlow(model);
  let words: ReturnType<typeof liveText> | undefined;
  for await (const event of client.dispatch.stream({ body })) {
    if (event.type === 'step_start') printLabelled('Step', `${event.name} (${event.stepType})`);
    else if (event.type === 'text_start') words = liveText('Text');
    else if (event.type === 'text_delta') words?.write(event.delta);
    else if (event.type === 'text_complete') words?.end();
    else if (event.type === 'execution_complete') {
      const { input, output } = event.totalTokens;
      const tokens = `${count(input + output)} tokens, ${event.totalCost ?? 'an unknown number of'} USD`;
      printLabelled(
        'End',
        `${event.success ? 'completed' : event.error}: ${tokens} (${shortDuration(event.durationMs)})`,
      );
    } else if (event.type === 'execution_error') throw new DemoError(event.error.message);
  }
}

async function showUsage(client: Client) {
  heading('What the model calls cost: GET /v1/model-usage');
  const { usageByModel } = await client.modelUsage.get({ query: { period: 'day' } });
  for (const [model, { requestCount, totalTokens, totalCost }] of Object.entries(usageByModel)) {
    printLabelled(
      'Model',
      `${model}: ${count(requestCount)} calls, ${count(totalTokens)} tokens, ${totalCost} USD`,
    );
  }
}

function failureIn(results: DemoStepResult[], batch: OperationResponse<'batches.status'>): string {
  const { stepName, errorMessage } = results.find(({ status }) => status === 'failed') ?? {};
  return `${count(batch.failedRecords)} of ${count(batch.totalRecords)} airports failed. The step "${stepName}" failed with: ${errorMessage}
If the model caused this, check its key and address, select another model with DEMO_MODEL, or unset OPENAI_API_KEY and GENERIC_OPENAI_BASE_URL to use a stand-in.`;
}
