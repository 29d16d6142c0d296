import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { RunDetails } from '../../../../../../console/src/screens/runs/data/run-details.ts';
import { curlCommand } from '../../../../../../console/src/screens/runs/page/curl.ts';

const run = (given: Partial<RunDetails>) =>
  ({ id: 'exec_1', flowId: null, agentId: null, toolId: null, input: null, ...given }) as RunDetails;

/** The arguments that a shell makes of it. */
const argumentsOf = (text: string) =>
  JSON.parse(
    execFileSync(
      'sh',
      ['-c', text.replace(/^curl/, `"$NODE" -e 'console.log(JSON.stringify(process.argv.slice(1)))' --`)],
      {
        env: { NODE: process.execPath, API_KEY: 'secret' },
      },
    ).toString(),
  ) as string[];

test('a flow is started again with what it was given, whatever quotes are in it', () => {
  const inputs = { text: `It's "here" $HOME \`ls\`` };
  const record = { id: null, type: 'visitor', name: 'Ada', metadata: {} };
  const given = argumentsOf(
    curlCommand(run({ kind: 'flow', flowId: 'flow_1', input: { inputs, record } }), 'https://api'),
  );
  expect(given.slice(0, 5)).toEqual([
    '-X',
    'POST',
    'https://api/v1/dispatch',
    '-H',
    'authorization: Bearer secret',
  ]);
  expect(JSON.parse(given.at(-1) ?? '')).toEqual({
    flow: { id: 'flow_1' },
    inputs,
    record: { type: 'visitor', name: 'Ada', metadata: {} },
    options: { streamResponse: false },
  });
});

test.each([
  [{ kind: 'agent', agentId: 'agent_1', input: { messages: [] } }, 'https://api/v1/agents/agent_1/execute'],
  [{ kind: 'batch', flowId: 'flow_1', input: { recordIds: ['record_1'] } }, 'https://api/v1/batch/flow'],
  [
    { kind: 'batch', flowId: 'flow_1', input: { recordType: 'city' } },
    'https://api/v1/flows/flow_1/run-on-record-type',
  ],
  [{ kind: 'tool', toolId: 'tool_1', input: { parameters: {} } }, 'https://api/v1/tools/tool_1/execute'],
  [{ kind: 'tool', toolId: 'tool_1' }, 'https://api/v1/runs/exec_1'],
  [{ kind: 'flow', flowId: 'flow_1', input: null }, 'https://api/v1/runs/exec_1'],
] as [Partial<RunDetails>, string][])('%j calls %s', (given, address) => {
  expect(curlCommand(run(given), 'https://api')).toContain(`'${address}'`);
});
