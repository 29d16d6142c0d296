import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type AnswerOf, createClient } from '../../functions/client.ts';
import { startStack } from '../../infra/local/stack.ts';
import { askAgent } from './agent.ts';
import { askPerson } from './approval.ts';
import { DemoError } from './demo-error.ts';
import { guideFlow, guideType, postcardFlow } from './flow.ts';
import { chooseModel } from './model.ts';
import { count, duration, heading, liveText, note, printLabelled, progress, show } from './output.ts';
import { type StepResult, showByStep, showRun } from './results.ts';
import { showRuns } from './runs.ts';

type Call = ReturnType<typeof createClient>['call'];

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

  const client = createClient({ baseUrl: stack.facts.url, token: stack.facts.liveKey });
  const { call, events } = client;
  await uploadAirports(call);
  const config = await createConfig(call, model.name);
  const flow = await publishFlow(call, config);
  const batch = await runFlow(call, flow.id, process.env.DEMO_STATE || model.state);
  const results = await allResults(call, flow.id);
  heading(`Steps, over all ${count(batch.totalRecords)} airports`);
  showByStep(flow.flowSteps, results);
  await showOne(call, results);
  await dispatch(events, config);
  await askAgent(client, config);
  await askPerson(client, config);
  await showRuns(call);
  await showUsage(call);
  note('');
  if (batch.failedRecords > 0) throw new DemoError(failureIn(results, batch));
  note(`Done in ${since(began)}. Next: run npm start and follow "Run it" in README.md.`);
}

const since = (began: number) => duration(performance.now() - began);

async function uploadAirports(call: Call) {
  const began = performance.now();
  const path = fileURLToPath(new URL('../airports.csv', import.meta.url));
  const file = new File([await openAsBlob(path)], 'airports.csv');
  const { created } = await call('POST /v1/records/upload-csv', {
    body: { file, nameColumn: 'iata', typeColumn: 'state' },
  });
  printLabelled(
    'Upload',
    `examples/airports.csv: ${count(created)} records; the state is the type (${since(began)})`,
  );
}

/** Creates the model config that the flows name. @returns its id. */
async function createConfig(call: Call, model: string): Promise<string> {
  const provider = model.startsWith('openai/') ? 'openai' : 'generic-openai';
  const modelId = model.slice(provider.length + 1);
  const config = await call('POST /v1/model-configs', { body: { provider, modelId } });
  const { costPer1kTokens: cost } = config;
  const price = cost === undefined ? 'without a price' : `${cost} USD per 1,000 tokens`;
  printLabelled('Config', `${config.id}: ${config.displayName}, ${price}`);
  return config.id;
}

async function publishFlow(call: Call, model: string) {
  const flow = await call('POST /v1/flows', { body: guideFlow(model) });
  const { publishedVersionId } = await call('POST /v1/flows/{id}/publish', { params: { id: flow.id } });
  const steps = flow.flowSteps.map(({ type }) => type).join(', ');
  printLabelled('Flow', [`"${flow.name}": ${steps}`, `published as ${publishedVersionId}`]);
  return flow;
}

async function runFlow(call: Call, id: string, recordType: string) {
  const run = await call('POST /v1/flows/{id}/run-on-record-type', { params: { id }, body: { recordType } });
  printLabelled('Run', `${count(run.recordCount)} records of the type ${recordType}, as ${run.batchId}`);
  const began = performance.now();
  const showProgress = progress('Progress');
  for (;;) {
    const batch = await call('GET /v1/batch/status/{id}', { params: { id: run.batchId } });
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

async function allResults(call: Call, id: string): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (;;) {
    const query = { limit: 100, offset: results.length, sortOrder: 'asc' as const };
    const { data, pagination } = await call('GET /v1/flows/{id}/step-results', { params: { id }, query });
    results.push(...data);
    if (!pagination.hasMore) return results;
  }
}

async function showOne(call: Call, results: StepResult[]) {
  const made = results.find(({ stepType, status }) => stepType === 'upsert-record' && status === 'completed');
  const { recordId, recordName } = made ?? results[0] ?? {};
  heading(`Step results of one airport, ${recordName}`);
  showRun(results.filter((result) => result.recordId === recordId));
  if (!made || !recordName) return;
  heading(`The record that the flow created: GET /v1/records?type=${guideType}&name=${recordName}`);
  const { data } = await call('GET /v1/records', { query: { type: guideType, name: recordName } });
  show(data[0]?.metadata ?? {});
}

/** Runs a flow that is not stored, and prints its text as the model writes it. */
async function dispatch(events: ReturnType<typeof createClient>['events'], model: string) {
  heading('An inline flow, streamed: POST /v1/dispatch');
  const body = postcardFlow(model);
  let words: ReturnType<typeof liveText> | undefined;
  for await (const event of events('POST /v1/dispatch', { body })) {
    if (event.type === 'step_start') printLabelled('Step', `${event.name} (${event.stepType})`);
    else if (event.type === 'text_start') words = liveText('Text');
    else if (event.type === 'text_delta') words?.write(event.delta);
    else if (event.type === 'text_complete') words?.end();
    else if (event.type === 'execution_complete') {
      const { input, output } = event.totalTokens;
      const tokens = `${count(input + output)} tokens, ${event.totalCost ?? 'an unknown number of'} USD`;
      printLabelled(
        'End',
        `${event.success ? 'completed' : event.error}: ${tokens} (${duration(event.durationMs)})`,
      );
    } else if (event.type === 'execution_error') throw new DemoError(event.error.message);
  }
}

async function showUsage(call: Call) {
  heading('What the model calls cost: GET /v1/model-usage');
  const { usageByModel } = await call('GET /v1/model-usage', { query: { period: 'day' } });
  for (const [model, { requestCount, totalTokens, totalCost }] of Object.entries(usageByModel)) {
    printLabelled(
      'Model',
      `${model}: ${count(requestCount)} calls, ${count(totalTokens)} tokens, ${totalCost} USD`,
    );
  }
}

function failureIn(results: StepResult[], batch: AnswerOf<'GET /v1/batch/status/{id}'>): string {
  const { stepName, errorMessage } = results.find(({ status }) => status === 'failed') ?? {};
  return `${count(batch.failedRecords)} of ${count(batch.totalRecords)} airports failed. The step "${stepName}" failed with: ${errorMessage}
If the model caused this, check its key and address, select another model with DEMO_MODEL, or unset OPENAI_API_KEY and GENERIC_OPENAI_BASE_URL to use a stand-in.`;
}
