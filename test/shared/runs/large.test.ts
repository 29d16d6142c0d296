import { expect, test } from 'vitest';
import { recordResultsRange } from '../../../shared/runs/checkpoint.ts';
import { deliver, plannedBatch, runOnce } from '../../support/batches.ts';
import { template } from '../../support/flows.ts';
import { payloadNames } from '../../support/payload-bucket.ts';

const script = (code: string, outputVariable?: string) => ({
  type: 'transform-data',
  name: 'script',
  config: { script: code, ...(outputVariable && { outputVariable }) },
});

test('an output of 300 KB goes to the payload bucket and comes back whole: in variables, in a resumed run, in lists', async () => {
  const text = `"start " + "äß€".repeat(100_000) + " end"`;
  const batch = await plannedBatch({
    steps: [
      script(text, 'text'),
      { type: 'prompt', name: 'ask', config: { model: 'generic-openai/any', userPrompt: '{{ text }}' } },
      template('{{ text | size }}'),
      script('text.endsWith("€ end")'),
    ],
  });
  const { table } = batch.scope;
  const dying = { ...batch.scope, table: { ...table, commit: dyingAtEnd(table.commit) } };
  await expect(runOnce(dying, batch.message())).rejects.toThrow('died');
  expect(await deliver([batch.message()])).toEqual([]);

  const whole = `start ${'äß€'.repeat(100_000)} end`;
  const [first, asked, size, ended] = await batch.results();
  expect(first?.outputPreview).toBe(whole.slice(0, 1_000));
  expect(asked?.resolvedPrompt).toBe(whole);
  expect(size?.inputVariables).toEqual({ text: whole });
  expect(size?.outputPreview).toBe(String(whole.length));
  expect(ended?.outputPreview).toBe('true');
  expect((await payloadNames(batch.tenant)).length).toBeGreaterThanOrEqual(2);
});

/** A commit that is done the first time only. */
function dyingAtEnd<T extends (...parameters: never[]) => Promise<void>>(commit: T) {
  let commits = 0;
  return (async (...parameters: Parameters<T>) => {
    if (commits++ > 0) throw new Error('The worker died');
    await commit(...parameters);
  }) as T;
}

test('a record with 200 KB of metadata is run, and its results tell the metadata as the run saw it', async () => {
  const metadata = { text: 'é'.repeat(100_000), list: Array.from({ length: 100 }, (_, n) => ({ n })) };
  const batch = await plannedBatch({ metadata, steps: [template('{{ _record.metadata.text | size }}')] });
  expect(await deliver([batch.message()])).toEqual([]);
  expect(await batch.results()).toMatchObject([
    { outputPreview: '100000', recordMetadata: { n: 0, ...metadata } },
  ]);
});

test('sixty steps with large outputs are spread over checkpoints, and everything is kept in its order', async () => {
  const steps = Array.from({ length: 60 }, (_, n) => script(`"${n}:" + "x".repeat(15_000)`, `v${n}`));
  const batch = await plannedBatch({ steps });
  expect(await deliver([batch.message()])).toEqual([]);
  const { table } = batch.scope;
  const recordId = batch.records[0]?.id ?? '';
  expect(await table.count(recordResultsRange(batch.tenant, recordId))).toBeGreaterThan(5);
  const rows = await batch.results();
  expect(rows.map(({ order }) => order)).toEqual(steps.map((_, n) => n));
  rows.forEach((row, n) => {
    expect(row.outputPreview?.startsWith(`${n}:x`)).toBe(true);
    expect(Object.keys(row.inputVariables as object)).toHaveLength(n);
  });
  expect(rows.at(-1)?.inputVariables).toMatchObject({ v7: `7:${'x'.repeat(15_000)}` });
  expect(await batch.progress()).toMatchObject({ status: 'completed', processedRecords: 1 });
});

test('a thousand steps that all fail with long reasons keep every one of them', async () => {
  const fails = {
    ...script('throw new Error("x".repeat(600))'),
    config: { script: 'throw new Error("x".repeat(600))', errorHandling: { onError: 'continue' } },
  };
  const batch = await plannedBatch({ steps: Array.from({ length: 1_000 }, () => fails) });
  expect(await deliver([batch.message()])).toEqual([]);
  expect(await batch.progress()).toMatchObject({
    status: 'completed',
    processedRecords: 1,
    failedRecords: 0,
  });
  const rows = await batch.results();
  expect(rows).toHaveLength(1_000);
  for (const { errorMessage } of rows) expect(errorMessage).toContain('x'.repeat(400));
});

test('an output that DynamoDB has no form for is kept as it was: huge numbers, deep nesting, the order of keys', async () => {
  const deep = Array.from({ length: 60 }).reduce((inner) => ({ inner }), 1);
  const text = JSON.stringify({ z: 1e300, a: 1e-200, m: 2 ** 60, deep });
  const batch = await plannedBatch({ steps: [script(text, 'data'), template('{{ data }}')] });
  expect(await deliver([batch.message()])).toEqual([]);
  const [data, printed] = await batch.results();
  expect([data?.outputPreview, printed?.outputPreview]).toEqual([text, text]);
  expect(JSON.stringify(printed?.inputVariables)).toBe(`{"data":${text}}`);
});
