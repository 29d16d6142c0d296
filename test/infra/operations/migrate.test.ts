import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operatorAccount } from '../../support/stack/operator-account.ts';
import { runCommand } from '../../support/stack/run-command.ts';

let account: Awaited<ReturnType<typeof operatorAccount>>;
beforeAll(async () => {
  account = await operatorAccount({ outputs: {} });
});
afterAll(() => account.close());

const migrate = async (...args: string[]) => {
  const { code, stdout, stderr } = await runCommand('infra/operations/migrate.ts', args, account.env);
  return { code, stderr, state: stdout ? JSON.parse(stdout) : undefined };
};

/** The state when the embedded stack has worked off its queue: the walk visits the items of all tests. */
async function whenWalked() {
  for (;;) {
    const { state } = await migrate('-c', 'env=dev', '--status');
    if (state.state !== 'running') return state;
    await setTimeout(500);
  }
}

test('the embedded stack runs the migrations at its start', async () => {
  expect(await whenWalked()).toMatchObject({
    id: '1-test-key-values',
    state: 'completed',
    failures: [],
    round: expect.any(Number),
  });
}, 120_000);

test('a completed migration stays as it is, and runs again with --again, through its queue', async () => {
  const { round } = await whenWalked();
  const kept = await migrate('-c', 'env=dev');
  expect(kept).toMatchObject({ code: 0, state: { state: 'completed', round } });
  expect(kept.stderr).toContain('1-test-key-values is completed. There is nothing to do.');
  expect((await migrate('-c', 'env=dev', '--again')).state.round).toBe(round + 1);
  expect(await whenWalked()).toMatchObject({ state: 'completed', round: round + 1, failures: [] });
  expect(account.invoked).toContain('agent-flow-dev-workers_migrate');
}, 240_000);

test('indexes of vectors that apply filters during the search do so before it from then on', async () => {
  const modes: Record<string, string> = { one: 'CLASSIC', two: 'ENHANCED', three: 'CLASSIC' };
  const defaults: string[] = [];
  const upgraded = await operatorAccount({
    outputs: {},
    resources: [
      {
        stack: 'AgentFlowService-dev',
        type: 'AWS::S3Vectors::VectorBucket',
        name: 'vectors',
        id: 'arn:aws:s3vectors:x:1:bucket/own',
      },
    ],
    answers: {
      '/ListIndexes': ({ vectorBucketName, nextToken }: { vectorBucketName: string; nextToken?: string }) => {
        const names = nextToken === undefined ? ['one'] : ['two', 'three'];
        const indexes = vectorBucketName === 'own' ? names.map((indexName) => ({ indexName })) : [];
        return [200, { indexes, ...(nextToken === undefined && { nextToken: 'more' }) }];
      },
      '/GetIndex': ({ indexName }: { indexName: string }) => [
        200,
        { index: { indexMode: modes[indexName] } },
      ],
      '/PutVectorBucketDefaultIndexMode': ({ defaultIndexMode }: { defaultIndexMode: string }) => {
        defaults.push(defaultIndexMode);
        return [200, {}];
      },
      '/UpdateIndexMode': ({ indexName, indexMode }: { indexName: string; indexMode: string }) => {
        modes[indexName] = indexMode;
        return [200, {}];
      },
    },
  });
  const command = (...args: string[]) => runCommand('infra/operations/migrate.ts', args, upgraded.env);
  expect((await command('-c', 'env=dev', '--status')).code).toBe(0);
  expect(modes).toMatchObject({ one: 'CLASSIC' });
  const { code, stderr } = await command('-c', 'env=dev');
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('2 indexes of vectors'),
  });
  expect(modes).toEqual({ one: 'ENHANCED', two: 'ENHANCED', three: 'ENHANCED' });
  expect(defaults).toEqual(['ENHANCED']);
  upgraded.close();
}, 120_000);

test.each([
  ['no environment', [], 'Name the environment: -c env=dev'],
  ['an unknown option', ['-c', 'env=dev', '--all'], "Unknown option '--all'"],
  ['a Lambda that is not there', ['-c', 'env=prod'], 'agent-flow-prod-workers_migrate could not be invoked'],
])('%s: the command says what to do', async (_, args, message) => {
  const { code, state, stderr } = await migrate(...args);
  expect([code, state, stderr]).toEqual([1, undefined, expect.stringContaining(message)]);
});
