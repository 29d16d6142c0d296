import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Cli, newCli } from '../../support/command-line/cli.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { stack } from '../../support/stack/stack.ts';

const template = (text: string) => ({ type: 'template', name: 'Greet', config: { template: text } });

async function newFlow({ tenant }: Cli, name: string, steps: object[]): Promise<string> {
  const body = { name, flowSteps: steps };
  const { id } = await expectStatus(201, tenant.call('POST', '/v1/flows', { body }));
  await expectStatus(200, tenant.call('POST', `/v1/flows/${id}/publish`));
  return id;
}

test('login tries the key and stores it for its owner alone; later commands use it', async () => {
  const cli = await newCli();
  const { token } = cli.tenant;
  const before = await cli.runLoggedOut(['runs']);
  expect([before.code, before.stderr]).toEqual([1, expect.stringContaining('agent-flow login --url')]);
  const refused = await cli.runLoggedOut(['login', '--url', stack().url, '--key', 'wrong']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('The key is not valid')]);
  const path = join(cli.folder, 'agent-flow/profiles.json');
  expect(() => statSync(path)).toThrow('ENOENT');

  const { code, stdout } = await cli.runLoggedOut(['login', '--url', stack().url, '--key'], `${token}\n`);
  expect([code, stdout]).toEqual([0, `Logged in to ${stack().url}. The key is in ${path}\n`]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const other = ['login', '--url', stack().url, '--key', token, '--profile', 'other', '--json'];
  expect(JSON.parse((await cli.runLoggedOut(other)).stdout)).toMatchObject({ profile: 'other', path });
  expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')))).toEqual(['default', 'other']);
  expect(JSON.parse((await cli.runLoggedOut(['runs', '--json'])).stdout)).toEqual([]);
  const missing = await cli.runLoggedOut(['runs', '--profile', 'none']);
  expect(missing.stderr).toContain('You are not logged in to the profile none');
});

test('run runs a flow by its name with inputs, and prints what it returns', async () => {
  const cli = await newCli();
  await newFlow(cli, 'Greeting', [template('Hello {{ who }}')]);
  await newFlow(cli, 'Greeting of others', [template('no')]);
  const { code, stdout, stderr } = await cli.run(['run', 'Greeting', '--input', '{"who": "Ada"}']);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'Hello Ada\n', stderr: '' });
  const result = await cli.json(['run', 'Greeting', '--input', '{"who": "Grace"}']);
  expect(result).toMatchObject({ success: true, output: 'Hello Grace' });
});

test('run works on one record, and on all of a type, whose failures make it fail', async () => {
  const cli = await newCli();
  const script = 'if (_record.name === "bad") throw new Error("no"); return _record.name';
  const id = await newFlow(cli, 'Names', [{ type: 'transform-data', name: 'Name', config: { script } }]);
  for (const name of ['good', 'bad']) {
    await expectStatus(201, cli.tenant.call('POST', '/v1/records', { body: { type: 'thing', name } }));
  }
  expect((await cli.run(['run', id, '--record', 'good'])).stdout).toBe('good\n');
  const failed = await cli.run(['run', id, '--record', 'bad']);
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/no.*agent-flow trace exec_/)]);
  const batch = await cli.run(['run', 'Names', '--type', 'thing']);
  expect([batch.code, batch.stdout]).toEqual([
    1,
    expect.stringContaining('1 of 2 records succeeded, 1 failed'),
  ]);
  const started = await cli.json(['run', 'Names', '--type', 'thing', '--no-wait']);
  expect(started).toMatchObject({ recordCount: 2, batchId: expect.stringMatching(/^batch_/) });
});

test('runs lists what ran, and trace shows the parts of a run', async () => {
  const cli = await newCli();
  await newFlow(cli, 'Greeting', [template('Hello')]);
  const { executionId } = await cli.json(['run', 'Greeting']);
  const { stdout } = await cli.run(['runs', '--kind', 'flow']);
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^STARTED +STATUS +KIND +DURATION/),
    expect.stringMatching(new RegExp(`completed +flow .*${executionId} +Greeting$`)),
    '',
  ]);
  expect(await cli.json(['runs', '--status', 'failed'])).toEqual([]);
  const trace = await cli.run(['trace', executionId]);
  expect(trace.stdout).toMatch(/^SPAN +STATUS +DURATION/);
  expect(trace.stdout).toMatch(/\nGreeting +ok .*\n {2}Greet +ok/);
});

test('runs --follow prints runs that start later, a line each', async () => {
  const cli = await newCli();
  await newFlow(cli, 'Greeting', [template('Hello')]);
  const following = cli.begin(['runs', '--follow', '--json']);
  const first = new Promise<string>((resolve) =>
    following.stdout?.setEncoding('utf8').once('data', (text) => resolve(text)),
  );
  const { executionId } = await cli.json(['run', 'Greeting']);
  expect(JSON.parse(await first)).toMatchObject({ id: executionId, name: 'Greeting' });
  following.kill();
});

test('records are uploaded from a file in the folder of the caller, and exported', async () => {
  const cli = await newCli();
  writeFileSync(join(cli.folder, 'airports.csv'), 'code,city\nOSL,Oslo\nSFO,San Francisco\n');
  const upload = await cli.run([
    'records',
    'upload',
    'airports.csv',
    '--name-column',
    'code',
    '--type',
    'airport',
  ]);
  expect([upload.code, upload.stdout]).toEqual([0, 'Created 2 records; 0 rows failed\n']);
  const { stdout } = await cli.run(['records', 'export', '--type', 'airport']);
  expect(stdout.split(/\r?\n/).slice(0, 2)).toEqual(['name,type,city', 'SFO,airport,San Francisco']);
  await cli.run(['records', 'export', '--output', 'all.csv']);
  expect(readFileSync(join(cli.folder, 'all.csv'), 'utf8')).toBe(stdout);
  const missing = await cli.run(['records', 'upload', 'none.csv']);
  expect([missing.code, missing.stderr]).toEqual([1, 'none.csv cannot be read\n']);
});

test('secrets set creates a secret from the standard input, then replaces its value', async () => {
  const cli = await newCli();
  expect(await cli.run(['secrets', 'set', 'TOKEN'], 'the-first-value')).toMatchObject({
    stdout: 'Created TOKEN\n',
    stderr: '',
  });
  expect((await cli.run(['secrets', 'set', 'TOKEN'], 'the-second-value')).stdout).toBe(
    'Replaced the value of TOKEN\n',
  );
  const empty = await cli.run(['secrets', 'set', 'TOKEN']);
  expect([empty.code, empty.stderr]).toEqual([1, 'The value is empty\n']);
});

test('errors say what to do, as JSON if asked', async () => {
  const cli = await newCli();
  await newFlow(cli, 'Twice', [template('one')]);
  await newFlow(cli, 'Twice', [template('two')]);
  const errors = [
    [['run', 'None'], 'There is no flow with the name None'],
    [['run', 'Twice'], '2 flows have the name Twice. Use an id: flow_'],
    [['run', 'Twice', '--input', '{'], 'Twice'],
    [
      ['run', 'x', '--type', 'a', '--record', 'b'],
      "option '--type <type>' cannot be used with option '--record",
    ],
    [['run'], "missing required argument 'flow'"],
    [['rnu'], "unknown command 'rnu'"],
    [['completion', 'csh'], 'csh is none of bash, zsh, fish'],
    [['trace', 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn'], 'not found'],
  ] as const;
  for (const [parameters, expected] of errors) {
    const { code, stdout, stderr } = await cli.run(parameters);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(expected)]);
  }
  const { stderr } = await cli.run(['trace', 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn', '--json']);
  expect(JSON.parse(stderr)).toMatchObject({ error: { status: 404, message: expect.any(String) } });
});

test('open prints the address of the console, at a run if there is one', async () => {
  const cli = await newCli();
  expect((await cli.run(['open', '--print'])).stdout).toBe(`${stack().url}/console\n`);
  expect(await cli.json(['open', 'exec_1'])).toEqual({ url: `${stack().url}/console#/runs/exec_1` });
});
