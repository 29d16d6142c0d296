import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { startModelStandIn } from '../../../examples/model-stand-in.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { createClient, type OperationResponse, type Schemas } from '../../../packages/client/src/client.ts';
import { killAll, newDirectory, start } from '../../support/stack/processes.ts';

// In CI a thousand.
const recordCount = Number(process.env.CHAOS_RECORDS ?? 300);
/** No record takes as long as this, also after a crash and on a busy machine. */
const stuckMs = 60_000;
const poisoned = (n: number) => n % 50 === 7;

const models = await startModelStandIn({
  failurePercent: 10,
  hangPercent: 1,
  delayMs: 5,
  answer: ({ messages }) => `about ${messages.at(-1)?.content}`,
});
afterAll(() => models.close());
afterEach(killAll);

const steps: Schemas.FlowSteps = [
  {
    type: 'transform-data',
    name: 'count',
    config: { script: 'Number(_record.metadata.n) + 1', outputVariable: 'next' },
  },
  {
    type: 'prompt',
    name: 'ask',
    config: {
      model: 'generic-openai/any',
      userPrompt: '{{ next }}',
      timeoutMs: 1_000,
      outputVariable: 'said',
    },
  },
  {
    type: 'transform-data',
    name: 'check',
    config: { script: 'if (next % 50 === 8) throw new Error("poisoned"); return said + "!"' },
  },
];

const clientOf = ({ url, liveKey }: StackFacts) => createClient({ baseUrl: url, apiKey: liveKey });
type Client = ReturnType<typeof clientOf>;

async function startBatch({ call }: Client): Promise<{ flowId: string; batchId: string }> {
  const flow = await call('flows.create', { body: { name: 'Chaos', flowSteps: steps } });
  await call('flows.publish', { params: { id: flow.id } });
  const rows = Array.from({ length: recordCount }, (_, n) => `record ${n},${n}`);
  const file = new File([`name,n\n${rows.join('\n')}\n`], 'records.csv');
  await call('records.upload-csv', { body: { file, nameColumn: 'name', typeValue: 'thing' } });
  const { batchId } = await call('flows.run-on-record-type', {
    params: { id: flow.id },
    body: { recordType: 'thing' },
  });
  return { flowId: flow.id, batchId };
}

type Status = OperationResponse<'batches.status'>;

/** Waits for a status of the batch, as long as records go on to be done. */
async function statusWhen(read: () => Promise<Status>, what: string, holds: (status: Status) => boolean) {
  let status = await read();
  let movedAt = Date.now();
  while (!holds(status)) {
    if (Date.now() - movedAt > stuckMs) {
      throw new Error(`Waited for ${what}, and nothing moved for ${stuckMs} ms: ${JSON.stringify(status)}`);
    }
    await sleep(50);
    const next = await read();
    if (next.processedRecords !== status.processedRecords) movedAt = Date.now();
    status = next;
  }
  return status;
}

async function allResults({ call }: Client, flowId: string) {
  const results: OperationResponse<'flows.step-results'>['data'] = [];
  const pagesMax = Math.ceil((recordCount * steps.length) / 100);
  for (let pages = 0, more = true; more; pages++) {
    if (pages > pagesMax) throw new Error(`There are more than ${pagesMax} pages of step results`);
    const query = { limit: 100, offset: results.length };
    const page = await call('flows.step-results', { params: { id: flowId }, query });
    results.push(...page.data);
    more = page.pagination.hasMore;
  }
  return results;
}

/** The list of runs and the numbers over time say what the batch says. */
async function expectSameNumbers({ call }: Client, batchId: string, end: Status) {
  const { totalRecords: total, failedRecords: failed } = end;
  const run = await call('runs.get', { params: { id: batchId } });
  const counts = { total, completed: total - failed, failed, cancelled: 0 };
  expect(run).toMatchObject({ kind: 'batch', status: 'completed', counts });
  const { groups } = await call('run-metrics.get', { query: { groupBy: 'kind' } });
  const totals = new Map(groups.map((group) => [group.key, group.total]));
  expect(totals.get('record')).toMatchObject({ runs: total, completed: total - failed, failed });
  expect(totals.get('batch')).toMatchObject({ runs: 1, completed: 1, tokens: pick(run.tokens) });
}

const pick = (tokens: { input: number; output: number } | null) => ({
  input: tokens?.input,
  output: tokens?.output,
});

test('nothing is lost or repeated when models fail and hang and the process is killed three times', async () => {
  const environment = {
    DATA_DIR: newDirectory(),
    GENERIC_OPENAI_BASE_URL: models.url,
    RATE_LIMIT_PER_HOUR: '100000',
    RATE_LIMIT_PER_DAY: '100000',
  };
  let stack = await start(environment);
  const { flowId, batchId } = await startBatch(clientOf(stack.facts));
  const status = () => clientOf(stack.facts).call('batches.status', { params: { id: batchId } });
  for (const share of [0.2, 0.45, 0.7]) {
    const enough = recordCount * share;
    await statusWhen(status, `${enough} records done`, ({ processedRecords }) => processedRecords >= enough);
    stack.child.kill('SIGKILL');
    stack = await start(environment);
  }
  const end = await statusWhen(status, 'its end', ({ status }) => !['scheduled', 'running'].includes(status));
  await expectSameNumbers(clientOf(stack.facts), batchId, end);
  const results = await allResults(clientOf(stack.facts), flowId);
  const byRecord = Map.groupBy(results, ({ recordId }) => recordId);
  const failed = [...byRecord.values()].filter((rows) => rows.some((row) => row.status === 'failed'));

  expect(end).toMatchObject({ status: 'completed', processedRecords: recordCount });
  expect(end.failedRecords).toBe(failed.length);
  expect(failed.length).toBeGreaterThanOrEqual(recordCount / 50);
  expect(byRecord.size).toBe(recordCount);
  expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
  for (const rows of byRecord.values()) {
    expect(new Set(rows.map(({ stepId }) => stepId)).size).toBe(rows.length);
    const failure = rows.find((row) => row.status === 'failed');
    if (failure) expect(failure.errorMessage).toMatch(/poisoned|answered 500|did not answer/);
    else expect(rows).toHaveLength(steps.length);
    const n = Number(rows[0]?.recordName?.split(' ')[1]);
    if (poisoned(n)) expect(failure).toBeDefined();
    const said = rows.find(({ stepName, status }) => stepName === 'ask' && status === 'completed');
    if (said) expect(said.outputPreview).toBe(`about ${n + 1}`);
  }
}, 300_000);
