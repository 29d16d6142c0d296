import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { startModelStandIn } from '../../../examples/model-stand-in.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { createClient, type OperationResponse, type Schemas } from '../../../packages/client/src/client.ts';
import { killAll, newDirectory, start } from '../../support/stack/processes.ts';

const kills = Number(process.env.CHAOS_KILLS ?? 8);
/** About one kill while a record runs. */
const recordCount = Math.max(3, kills - 5);
const recordsAtOnce = 3;

/** How often the model was asked for each text. */
const asked = new Map<string, number>();
const models = await startModelStandIn({
  delayMs: 40,
  answer: ({ messages }) => {
    const text = String(messages.at(-1)?.content);
    asked.set(text, (asked.get(text) ?? 0) + 1);
    return `<${text}>`;
  },
});
afterAll(() => models.close());
afterEach(killAll);

const ask = (userPrompt: string, outputVariable: string): Schemas.PromptStep => ({
  type: 'prompt',
  id: outputVariable,
  name: outputVariable,
  config: { model: 'generic-openai/any', userPrompt, outputVariable },
});

/** What each item runs as a flow of its own: some wait for somebody in it. */
const innerSteps: Schemas.FlowSteps = [
  {
    type: 'approval',
    id: 'may',
    name: 'may',
    when: 'item % 4 === 0',
    config: { question: '{{ one }}', outputVariable: 'said' },
  },
  ask('{{ _record.name }} again {{ item }}', 'two'),
  { type: 'template', id: 'rest', name: 'rest', config: { template: '{{ two }}{{ said.choice }}' } },
];

/** Of each record: 8 items with two prompts each, one in another flow; a loop, a callback. */
const stepsWith = (flowId: string): Schemas.FlowSteps => [
  {
    type: 'parallel',
    id: 'both',
    name: 'both',
    config: {
      outputVariable: 'both',
      branches: [
        {
          name: 'items',
          steps: [
            {
              type: 'map',
              id: 'each',
              name: 'each',
              config: {
                items: '[0, 1, 2, 3, 4, 5, 6, 7]',
                concurrency: 4,
                steps: [
                  ask('{{ _record.name }} item {{ item }}', 'one'),
                  {
                    type: 'flow',
                    id: 'inner',
                    name: 'inner',
                    config: {
                      flowId,
                      inputs: { item: '{{ item }}', one: '{{ one }}' },
                      outputVariable: 'rest',
                    },
                  },
                ],
                output: 'one + rest',
                outputVariable: 'all',
              },
            },
          ],
        },
        {
          name: 'passes',
          steps: [
            {
              type: 'loop',
              id: 'again',
              name: 'again',
              config: {
                while: '_loop.index < 4',
                maxIterations: 4,
                steps: [ask('{{ _record.name }} pass {{ _loop.index }}', 'pass')],
                outputVariable: 'last',
              },
            },
            {
              type: 'wait-for-callback',
              id: 'hear',
              name: 'hear',
              config: { timeoutMinutes: 60, outputVariable: 'heard' },
            },
          ],
        },
      ],
    },
  },
  ask('{{ _record.name }} end', 'end'),
];

const clientOf = ({ url, liveKey }: StackFacts) => createClient({ baseUrl: url, apiKey: liveKey });
type Client = ReturnType<typeof clientOf>;
type Wait = OperationResponse<'runs.get'>['waits'][number];

async function startBatch({ call }: Client): Promise<{ flowId: string; batchId: string }> {
  const publish = async (name: string, flowSteps: Schemas.FlowSteps) => {
    const { id } = await call('flows.create', { body: { name, flowSteps } });
    await call('flows.publish', { params: { id } });
    return { id };
  };
  const inner = await publish('Inner', innerSteps);
  const flow = await publish('Chaos', stepsWith(inner.id));
  const rows = Array.from({ length: recordCount }, (_, n) => `record ${n},${n}`);
  const file = new File([`name,n\n${rows.join('\n')}\n`], 'records.csv');
  const { records } = await call('records.upload-csv', {
    body: { file, nameColumn: 'name', typeValue: 'thing' },
  });
  const recordIds = records.map(({ id }) => id);
  const options = { recordConcurrency: recordsAtOnce, maxRetries: 0 };
  const { batchExecutionId: batchId } = await call('batches.run-flow', {
    body: { flowId: flow.id, recordIds, options },
  });
  return { flowId: flow.id, batchId };
}

/** Answers what waits. A request that a kill ends may have counted or not. */
async function answer(stack: StackFacts, wait: Wait): Promise<void> {
  const { runId: id, stepPath: stepId, callbackUrl } = wait;
  const body = JSON.stringify({ of: stepId });
  if (callbackUrl !== null) {
    const address = stack.url + new URL(callbackUrl).pathname;
    await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  } else {
    const given = { stepId, choice: 'approve' };
    await clientOf(stack).call('runs.answer', { params: { id }, body: given });
  }
}

async function allResults({ call }: Client, flowId: string) {
  const results: OperationResponse<'flows.step-results'>['data'] = [];
  for (let more = true; more; ) {
    const query = { limit: 100, offset: results.length };
    const page = await call('flows.step-results', { params: { id: flowId }, query });
    results.push(...page.data);
    more = page.pagination.hasMore;
  }
  return results;
}

const said = (record: number) => {
  const name = `record ${record}`;
  const item = (n: number) => `<${name} item ${n}><${name} again ${n}>${n % 4 === 0 ? 'approve' : ''}`;
  return {
    items: { all: [0, 1, 2, 3, 4, 5, 6, 7].map(item) },
    passes: { last: `<${name} pass 3>`, pass: `<${name} pass 3>`, heard: { of: 'both/passes/hear' } },
  };
};

test(
  `${kills} kills at random moments lose nothing and repeat no item, branch or pass that has ended`,
  async () => {
    const environment = {
      DATA_DIR: newDirectory(),
      GENERIC_OPENAI_BASE_URL: models.url,
      RATE_LIMIT_PER_HOUR: '1000000',
      RATE_LIMIT_PER_DAY: '1000000',
      LOG_LEVEL: 'error',
    };
    let stack = await start(environment);
    const { flowId, batchId } = await startBatch(clientOf(stack.facts));
    let isOver = false;
    let killed = 0;
    const killing = (async () => {
      for (let n = 0; n < kills && !isOver; n++) {
        await sleep(100 + Math.random() * 900);
        if (isOver) return;
        stack.child.kill('SIGKILL');
        killed++;
        stack = await start(environment);
      }
    })();
    const deadline = Date.now() + 60_000 + kills * 15_000;
    for (;;) {
      if (Date.now() > deadline) throw new Error('The batch did not end');
      const client = clientOf(stack.facts);
      try {
        const { status, waits } = await client.call('runs.get', { params: { id: batchId } });
        if (!['scheduled', 'running'].includes(status)) break;
        // Not all at once, so that kills meet runs that wait for some.
        for (const wait of waits.slice(0, 3)) await answer(stack.facts, wait);
      } catch {
        // The process was killed.
      }
      await sleep(150);
    }
    isOver = true;
    await killing;
    const client = clientOf(stack.facts);
    expect(await client.call('batches.status', { params: { id: batchId } })).toMatchObject({
      status: 'completed',
      successCount: recordCount,
    });
    const results = await allResults(client, flowId);
    expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
    const byRecord = Map.groupBy(results, ({ recordName }) => Number(recordName?.split(' ')[1]));
    expect(byRecord.size).toBe(recordCount);
    for (const [record, rows] of byRecord) {
      const paths = rows.map(({ stepPath }) => stepPath);
      expect(new Set(paths).size).toBe(paths.length);
      // 8 items of 5 steps with those of the other flow, 4 passes, the callback, the two lists, the step around them, and the last one.
      expect(rows).toHaveLength(40 + 4 + 1 + 2 + 1 + 1);
      const both = rows.find(({ stepName }) => stepName === 'both');
      expect(JSON.parse(String(both?.outputPreview))).toEqual(said(record));
    }
    // What was running or not yet stored is asked again: of each record at once 4 items, a pass, and 3 results that were not written.
    const calls = [...asked.values()].reduce((sum, count) => sum + count, 0);
    const needed = recordCount * (16 + 4 + 1);
    process.stderr.write(`${killed} kills, ${needed} calls needed, ${calls - needed} repeated\n`);
    expect(asked.size).toBe(needed);
    expect(calls - needed).toBeLessThanOrEqual(killed * recordsAtOnce * 8);
  },
  120_000 + kills * 20_000,
);
