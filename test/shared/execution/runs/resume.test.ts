import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunMessage } from '../../../../shared/execution/batches/run-message.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import type { Write } from '../../../../shared/platform/data/writes.ts';
import { brokenTable, cancelled, type Interference, throttled } from '../../../support/data/broken-table.ts';
import {
  deliverRunMessages,
  type PlannedBatch,
  plannedBatch,
  runOnce,
} from '../../../support/flows/batches.ts';
import { template } from '../../../support/flows/flows.ts';
import { modelServer } from '../../../support/models/model-server.ts';

let server: Awaited<ReturnType<typeof modelServer>>;

beforeEach(async () => {
  server = await modelServer({ answer: ({ messages }) => `answer to ${messages.at(-1)?.content}` });
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', server.url);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const prompt = (userPrompt: string, outputVariable: string) => ({
  type: 'prompt',
  name: outputVariable,
  config: { model: 'generic-openai/any', userPrompt, outputVariable },
});

/** Three model calls, one within a branch, and steps without effects between them. */
const steps = [
  { ...template('{{ _record.name }}', 'zero'), name: 'zero' },
  prompt('say {{ zero }}', 'one'),
  {
    type: 'conditional',
    name: 'if',
    config: {
      condition: 'one.length > 0',
      trueSteps: [{ ...template('[{{ one }}]', 'boxed'), name: 'boxed' }, prompt('say {{ boxed }}', 'two')],
    },
  },
  { ...template('never'), name: 'skipped', when: 'two === ""' },
  prompt('say {{ two }} of {{ _execution.id }}', 'three'),
  { ...template('{{ one }} {{ two }} {{ three }}'), name: 'end' },
];
const names = ['zero', 'one', 'if', 'boxed', 'two', 'skipped', 'three', 'end'];
const modelCalls = 3;

const asked = () => server.requests.map(({ messages }) => messages.at(-1)?.content);

/** The batch's scope, whose n-th write of the table ends the worker, before it is done or after. */
function dyingAt({ scope }: PlannedBatch, death: number, when: 'before' | 'after'): Scope {
  let commits = 0;
  const commit = async (writes: readonly Write[]) => {
    const dies = commits++ >= death;
    if (!dies || when === 'after') await scope.table.commit(writes);
    if (dies) throw new Error('The worker died');
  };
  return { ...scope, table: { ...scope.table, commit } };
}

const expectWhole = async (batch: PlannedBatch) => {
  const rows = await batch.results();
  expect(rows.map(({ stepName }) => stepName)).toEqual(names);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(names.length);
  expect(rows.at(-1)?.outputPreview).toContain('answer to say [answer to say thing 0]');
  expect(await batch.progress()).toMatchObject({
    status: 'completed',
    processedRecords: 1,
    failedRecords: 0,
  });
};

/** How many model calls have a stored result. */
const recordedCalls = async (batch: PlannedBatch) =>
  (await batch.results()).filter(({ stepType }) => stepType === 'prompt').length;

test.each([0, 1, 2])(
  'a worker that crashes right after its write %i is resumed without repeating a model call',
  async (death) => {
    const batch = await plannedBatch({ steps });
    await runOnce(dyingAt(batch, death, 'after'), batch.message()).catch(() => {});
    expect(await deliverRunMessages([batch.message()])).toEqual([]);
    await expectWhole(batch);
    expect(asked()).toHaveLength(modelCalls);
  },
);

test.each([0, 1, 2])(
  'one that crashes before its write %i is resumed, repeating only a call that was not recorded',
  async (death) => {
    const batch = await plannedBatch({ steps });
    await expect(runOnce(dyingAt(batch, death, 'before'), batch.message())).rejects.toThrow('died');
    const before = asked();
    const unwritten = before.slice(await recordedCalls(batch));
    // None if a slow machine has stored the call before the worker died.
    expect(unwritten.length).toBeLessThanOrEqual(1);
    expect(await deliverRunMessages([batch.message()])).toEqual([]);
    await expectWhole(batch);
    expect(asked()).toHaveLength(modelCalls + unwritten.length);
    expect(asked().slice(before.length, before.length + unwritten.length)).toEqual(unwritten);
  },
);

test('one that crashes repeatedly still ends with each result once', async () => {
  const batch = await plannedBatch({ steps });
  for (let death = 0; death < 6; death++) {
    await runOnce(dyingAt(batch, 1, 'before'), batch.message()).catch(() => {});
  }
  await deliverRunMessages([batch.message()]);
  await expectWhole(batch);
});

test('a resumed run has the same results as an undisturbed one', async () => {
  const [whole, broken] = [await plannedBatch({ steps }), await plannedBatch({ steps })];
  await deliverRunMessages([whole.message()]);
  for (const death of [1, 1, 1]) {
    await runOnce(dyingAt(broken, death, 'after'), broken.message()).catch(() => {});
  }
  await deliverRunMessages([broken.message()]);
  const plain = async (batch: PlannedBatch) =>
    (await batch.results()).map(({ outputPreview, inputVariables }) =>
      JSON.stringify([outputPreview, inputVariables]).replaceAll(/exec_\w+/g, 'exec'),
    );
  expect(await plain(broken)).toEqual(await plain(whole));
});

/** Runs ten records at once through a table with something in between; what breaks off is delivered again. */
async function throughTable(interference: Interference) {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const batch = await plannedBatch({ recordCount: 10, steps });
  const scope = { ...batch.scope, table: brokenTable(batch.tenant, interference) };
  let brokenOff = 0;
  const runToEnd = async (message: RunMessage): Promise<void> => {
    await runOnce(scope, message).catch(() => {
      brokenOff++;
      return runToEnd(message);
    });
  };
  await Promise.all(batch.messages.map(runToEnd));
  for (const { recordId } of batch.messages) {
    const rows = await batch.results(recordId ?? '');
    expect(rows.map(({ stepName }) => stepName)).toEqual(names);
  }
  expect(await batch.progress()).toMatchObject({
    status: 'completed',
    processedRecords: 10,
    failedRecords: 0,
  });
  expect(asked()).toHaveLength(10 * modelCalls);
  return brokenOff;
}

const writes = ['TransactWriteItems', 'PutItem', 'UpdateItem'];

/** Fails each write the first times that it comes. */
function failingFirst(times: number, failure: () => Error, commands = writes) {
  const seen = new Map<string, number>();
  const fail = (command: string, { TransactItems, Item, Key }: Record<string, unknown>) => {
    if (!commands.includes(command)) return;
    const write = JSON.stringify([TransactItems, Item, Key]);
    const count = seen.get(write) ?? 0;
    seen.set(write, count + 1);
    if (count < times) throw failure();
  };
  return { seen, fail };
}

test('transactions cancelled by conflicts lose and duplicate nothing', async () => {
  const conflict = () => cancelled('None', 'TransactionConflict');
  const { seen, fail } = failingFirst(3, conflict, ['TransactWriteItems']);
  expect(await throughTable({ before: fail })).toBe(0);
  expect(seen.size).toBeGreaterThanOrEqual(10);
});

test('neither does throttling', async () => {
  const { seen, fail } = failingFirst(4, throttled);
  expect(await throughTable({ before: fail })).toBe(0);
  expect(seen.size).toBeGreaterThanOrEqual(30);
});

test('neither do responses that are lost after the write', async () => {
  const hangUp = () =>
    Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', name: 'TimeoutError' });
  const { seen, fail } = failingFirst(1, hangUp);
  await throughTable({ after: fail });
  expect(seen.size).toBeGreaterThanOrEqual(30);
});
