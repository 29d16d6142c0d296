import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { newCli } from '../../support/command-line/cli.ts';
import { expectStatus } from '../../support/flows/flows.ts';

const hasTerminal = spawnSync('script', ['--version']).status === 0;
const escapes = '\x1b[';

test.skipIf(!hasTerminal && !process.env.CI)(
  'a terminal shows colours and progress, and never a value that is typed',
  async () => {
    const cli = await newCli();
    const flowSteps = [{ type: 'template', name: 'Greet', config: { template: 'Hello' } }];
    await expectStatus(201, cli.tenant.call('POST', '/v1/flows', { body: { name: 'Greeting', flowSteps } }));
    const { id } = (await cli.tenant.call('GET', '/v1/flows')).body.data[0];
    await expectStatus(200, cli.tenant.call('POST', `/v1/flows/${id}/publish`));
    const run = await cli.inTerminal(['run', 'Greeting']);
    expect(run.stdout).toContain('Greet…');
    expect(run.stdout).toContain('Hello\r\n');
    expect((await cli.inTerminal(['runs'])).stdout).toContain(`${escapes}32mcompleted`);
    expect((await cli.run(['runs'])).stdout).not.toContain(escapes);

    const set = await cli.inTerminal(['secrets', 'set', 'TOKEN'], 's3cres\x7ft-value\r');
    expect(set.stdout).toContain('Value of TOKEN: ');
    expect(set.stdout).toContain('Created TOKEN');
    expect(set.stdout).not.toContain('s3cre');
    const stopped = await cli.inTerminal(['secrets', 'set', 'OTHER'], 'abc\x03');
    expect([stopped.code, stopped.stdout]).toEqual([1, expect.stringContaining('Nothing was entered')]);
  },
);

test.skipIf(!hasTerminal && !process.env.CI)(
  'names and answers do not command a terminal, and come to programs as they are',
  async () => {
    const cli = await newCli();
    const title = '\x1b]0;hacked\x07';
    const config = { template: `${title}Hello\x9b2J\r\n\tAda`, streamOutput: true };
    const flowSteps = [{ type: 'template', name: `${title}Greet`, config }];
    const { id } = await expectStatus(
      201,
      cli.tenant.call('POST', '/v1/flows', { body: { name: `${title}Greeting`, flowSteps } }),
    );
    await expectStatus(200, cli.tenant.call('POST', `/v1/flows/${id}/publish`));
    for (const [parameters, shown] of [
      [['run', id], '\u{fffd}]0;hacked\u{fffd}Hello\u{fffd}2J\r\n\tAda'],
      [['runs'], '\u{fffd}]0;hacked\u{fffd}Greeting'],
    ] as const) {
      const { stdout } = await cli.inTerminal(parameters);
      expect(stdout).toContain(shown);
      expect(stdout).not.toContain(title);
      expect((await cli.run(parameters)).stdout).toContain(title);
    }
    const failed = await cli.run(['run', `${title}Nothing`]);
    expect(failed.stderr).toContain('hacked\u{fffd}Nothing');
    expect(failed.stderr).not.toContain(title);
  },
);

const completed = (words: string) => `
complete() { :; }
COMP_WORDS=(agent-flow ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_agent_flow
echo "\${COMPREPLY[*]}"`;

test.each([
  ['""', /^login logout run ask runs .*--json/],
  ['ru', /^run runs$/],
  ['records ""', /^upload import export /],
  ['records upload --t', /^--type-column --type$/],
  ['runs --f', /^--follow$/],
])('bash completes %s', async (words, expected) => {
  const { stdout: script } = await (await newCli()).run(['completion', 'bash']);
  const printed = execFileSync('bash', ['-c', `complete() { :; }\n${script}\n${completed(words)}`]);
  expect(String(printed).trim()).toMatch(expected);
});

test.each(['zsh', 'fish'])('%s gets a script that knows every command', async (shell) => {
  const { code, stdout } = await (await newCli()).run(['completion', shell]);
  expect(code).toBe(0);
  for (const word of ['login', 'records', 'upload', '--follow']) expect(stdout).toContain(word);
});
