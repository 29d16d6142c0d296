import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentFiles, readFolder } from '../../../packages/cli/src/workspace/folder.ts';
import { type Cli, newCli } from '../../support/command-line/cli.ts';
import { expectStatus } from '../../support/flows/flows.ts';

const prompt = `Write a guide.\n${'Be short and kind. '.repeat(20)}`;

async function withFlows({ tenant }: Cli) {
  const create = (name: string, flowSteps: object[]) =>
    expectStatus(201, tenant.call('POST', '/v1/flows', { body: { name, flowSteps } }));
  const ask = { type: 'prompt', name: 'Ask', config: { model: 'default', userPrompt: prompt } };
  const { id } = await create('Inner', [ask]);
  await expectStatus(200, tenant.call('POST', `/v1/flows/${id}/publish`));
  await create('Outer', [{ type: 'flow', name: 'Run', config: { flowId: id } }]);
  await expectStatus(201, tenant.call('POST', '/v1/agents', { body: { name: 'Helper' } }));
}

const inFolder = (cli: Cli, ...path: string[]) => join(cli.folder, ...path);

test('what is pulled from one deployment and pushed to another is the same there', async () => {
  const [from, to] = [await newCli(), await newCli()];
  await withFlows(from);
  const pulled = await from.run(['pull', 'files']);
  expect(pulled).toMatchObject({ code: 0, stderr: '' });
  expect(pulled.stdout).toContain('flows/inner/flowsteps-ask-config-userprompt.md\n');
  expect((await from.run(['pull', 'files'])).stdout).toBe('Nothing has changed\n');
  expect((await from.run(['diff', 'files'])).stdout).toBe('Nothing would change\n');
  const folder = inFolder(from, 'files');
  const pushed = await to.run(['push', folder]);
  expect(pushed).toMatchObject({ code: 0, stderr: '' });
  expect(pushed.stdout).toContain('+ create flows: Inner\n');
  expect((await to.run(['push', folder])).stdout).toBe('Nothing changes\n');
  await to.run(['pull', 'files']);
  expect(documentFiles(await readFolder(inFolder(to, 'files')))).toEqual(
    documentFiles(await readFolder(folder)),
  );
});

test('an edited file is shown, and pushed once somebody agrees', async () => {
  const cli = await newCli();
  await withFlows(cli);
  await cli.run(['pull']);
  const path = inFolder(cli, 'flows/inner/flowsteps-ask-config-userprompt.md');
  writeFileSync(path, readFileSync(path, 'utf8').replace('kind', 'exact'));
  const diff = await cli.run(['diff']);
  expect(diff.stdout).toMatch(/^~ update flows: Inner\n.*userPrompt.*\n1 change\n$/s);
  const declined = await cli.inTerminal(['push'], 'n\n');
  expect(declined.stdout).toContain('Nothing was changed');
  expect(declined.code).toBe(1);
  expect((await cli.run(['diff'])).stdout).toContain('1 change');
  const agreed = await cli.inTerminal(['push'], 'y\n');
  expect(agreed.stdout).toContain('Applied 1 change');
  expect((await cli.run(['diff'])).stdout).toBe('Nothing would change\n');
  expect(await cli.json(['push', '--yes'])).toMatchObject({ errors: [] });
});

test('files with errors change nothing, and each error says where it is', async () => {
  const cli = await newCli();
  await withFlows(cli);
  await cli.run(['pull']);
  const path = inFolder(cli, 'flows/outer.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace(/flowId: .*/, 'flowId: Nobody'));
  for (const command of [['diff'], ['push', '--yes']]) {
    const { code, stderr } = await cli.run(command);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/flows.*flowId.*Nobody/) });
  }
  const empty = await cli.run(['diff', 'nowhere']);
  expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('agent-flow pull') });
});

test('what the files do not name is deleted only if that is wanted', async () => {
  const cli = await newCli();
  await withFlows(cli);
  await cli.run(['pull']);
  const { id } = await expectStatus(
    201,
    cli.tenant.call('POST', '/v1/flows', { body: { name: 'New', flowSteps: [] } }),
  );
  expect((await cli.run(['diff'])).stdout).toBe('Nothing would change\n');
  expect((await cli.run(['diff', '--prune'])).stdout).toContain('- delete flows: New');
  await cli.run(['push', '--prune', '--yes']);
  await expectStatus(404, cli.tenant.call('GET', `/v1/flows/${id}`));
});

test('secrets that a push makes are shown on a terminal once, and not to a log', async () => {
  const cli = await newCli();
  const pushed = async (name: string, isSeen: boolean) => {
    writeFileSync(
      inFolder(cli, 'workspace.yaml'),
      `budgets:
  - name: ${name}
    scope: { type: tenant }
    period: day
    limit: '1'
    action: alert
    notify: { webhookUrl: https://hooks.example.com/b }
`,
    );
    return (isSeen ? await cli.inTerminal(['push'], 'y\n') : await cli.run(['push', '--yes'])).stdout;
  };
  expect(await pushed('Seen', true)).toMatch(/Seen: notify\.secret: whsec_\S{20}/);
  const log = await pushed('Logged', false);
  expect(log).toContain('1 secret, which only a terminal and --json show:\n  Logged: notify.secret\n');
  expect(log).not.toContain('whsec_');
});
