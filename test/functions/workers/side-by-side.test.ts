import type { Context } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { logged, metricsIn } from '../../support/data/log-lines.ts';
import { type PlannedBatch, plannedBatch, sqsEvent } from '../../support/flows/batches.ts';
import { template } from '../../support/flows/flows.ts';
import { modelServer } from '../../support/models/model-server.ts';
import { eventually } from '../../support/stack/eventually.ts';
import '../../support/suite/fresh-modules.ts';

// As on Lambda Managed Instances: one process, whose invocations run side by side (D294).

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

const minute = 60_000;

/** A model, and the worker of records as a new process. */
async function world() {
  const models = await modelServer();
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', models.url);
  vi.stubEnv('METRICS_NAMESPACE', 'test');
  vi.resetModules();
  const { handler } = await import('../../../functions/workers/run-record.ts');
  const { DocumentClient } = await import('../../../shared/platform/data/requests/document-client.ts');
  const invoke = (
    batch: PlannedBatch,
    awsRequestId: string,
    { remainingMs = 15 * minute, deliveries = 1 } = {},
  ) => {
    const event = sqsEvent(batch.messages);
    for (const record of event.Records) {
      record.messageId = `${record.messageId} of ${awsRequestId}`;
      record.attributes.ApproximateReceiveCount = String(deliveries);
    }
    return handler(event, { awsRequestId, getRemainingTimeInMillis: () => remainingMs } as Context);
  };
  return { models, invoke, DocumentClient };
}

/** A batch of a tenant of its own: a model call, then the owner's name. */
const batchOf = (owner: string) =>
  plannedBatch({
    steps: [
      {
        type: 'prompt',
        name: 'ask',
        config: { model: 'generic-openai/any', userPrompt: `Who is ${owner}?` },
      },
      template('{{ _record.metadata.owner }} has {{ _record.metadata.n }}'),
    ],
    recordCount: 2,
    metadata: { owner },
  });

test('two invocations at once in a process keep their log fields, metrics, results and leases apart', async () => {
  const { models, invoke, DocumentClient } = await world();
  const [ada, bob] = await Promise.all([batchOf('Ada'), batchOf('Bob')]);
  models.options.delayMs = 1_500;
  let again: Promise<unknown> | undefined;
  const { lines, metrics } = await logged(async () => {
    const { send } = DocumentClient.prototype as unknown as { send: (command: object) => unknown };
    // The first thing that each of them stores fails, so that each logs a line in the middle of the other.
    const failed = new Set<string>();
    const broken = vi.spyOn(DocumentClient.prototype, 'send').mockImplementation(function (
      this: unknown,
      command: object,
    ) {
      const text = command.constructor.name === 'TransactWriteCommand' ? JSON.stringify(command) : '';
      const run = [...ada.messages, ...bob.messages].find(({ runId }) => text.includes(runId));
      if (!run || failed.size === 4) return send.call(this, command);
      failed.add(run.runId);
      throw new Error(`Not stored for ${run.tenant}`);
    } as never);
    const both = [invoke(ada, 'request-ada'), invoke(bob, 'request-bob')];
    await eventually(() => expect(models.requests).toHaveLength(4));
    // The queue delivers Ada's messages again: her first invocation still holds the runs, and Bob's are none of hers.
    again = invoke(ada, 'request-again', { deliveries: 2 });
    await Promise.all([...both, again]);
    broken.mockRestore();
  });
  const owners = new Map([
    ['request-ada', ada],
    ['request-bob', bob],
    ['request-again', ada],
  ]);
  expect(new Set(lines.map(({ requestId }) => requestId))).toEqual(new Set(owners.keys()));
  for (const line of lines) {
    const owner = owners.get(String(line.requestId));
    const runs = owner?.messages.map(({ runId }) => runId) ?? [];
    expect(line).toMatchObject({ worker: 'run-record', tenant: owner?.tenant, batchId: owner?.batch.id });
    expect(runs).toContain(line.executionId);
    if (String(line.error).startsWith('Not stored'))
      expect(line.error).toBe(`Not stored for ${owner?.tenant}`);
  }
  expect(models.requests).toHaveLength(4);
  // Four steps each, not eight in one.
  const steps = metrics.map((line) => metricsIn(line).StepsCompleted?.value);
  expect(steps).toEqual([4, 4]);
  for (const [owner, batch] of [['Ada', ada] as const, ['Bob', bob] as const]) {
    expect(await invoke(batch, owner, { deliveries: 3 })).toEqual({ batchItemFailures: [] });
    expect(await batch.progress()).toMatchObject({
      status: 'completed',
      processedRecords: 2,
      failedRecords: 0,
    });
    const texts = await Promise.all(
      batch.records.map(async ({ id }) => JSON.stringify(await batch.results(id))),
    );
    expect(texts.map((text) => /(Ada|Bob) has \d/.exec(text)?.[0])).toEqual([
      `${owner} has 0`,
      `${owner} has 1`,
    ]);
  }
});

test('an invocation whose time is over hands its records back, and the one beside it goes on', async () => {
  const { models, invoke } = await world();
  const [ada, bob] = await Promise.all([batchOf('Ada'), batchOf('Bob')]);
  models.options.delayMs = 2_000;
  const [handedBack, done] = await Promise.all([
    invoke(ada, 'request-ada', { remainingMs: 6_000 }),
    invoke(bob, 'request-bob'),
  ]);
  expect(handedBack.batchItemFailures).toHaveLength(2);
  expect(done).toEqual({ batchItemFailures: [] });
  expect(await bob.progress()).toMatchObject({ status: 'completed', processedRecords: 2 });
  expect(await ada.progress()).toMatchObject({ processedRecords: 0 });
  models.options.delayMs = 0;
  expect(await invoke(ada, 'later', { deliveries: 2 })).toEqual({ batchItemFailures: [] });
  expect(await ada.progress()).toMatchObject({ status: 'completed', processedRecords: 2, failedRecords: 0 });
});
