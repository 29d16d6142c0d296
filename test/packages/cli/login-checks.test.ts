import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { newCli } from '../../support/command-line/cli.ts';
import { serveHttp } from '../../support/servers/serve.ts';
import { newKey } from '../../support/stack/keys.ts';
import { stack } from '../../support/stack/stack.ts';

test('without a code there is nothing to try', async () => {
  const cli = await newCli();
  const { code, stderr } = await cli.runLoggedOut(['login', '--url', stack().url, '--no-browser'], '\n');
  expect([code, stderr]).toEqual([1, expect.stringContaining('No code was entered')]);
});

test('a second login goes to the same address, and says that the former key stays valid', async () => {
  const cli = await newCli();
  const [first, second] = [await newKey(cli.tenant), await newKey(cli.tenant)];
  const login = (key: string, ...more: string[]) => cli.runLoggedOut(['login', '--key', key, ...more]);
  expect(await login(first.key, '--url', `${stack().url}/`)).toMatchObject({ code: 0, stderr: '' });
  expect(await login(first.key)).toMatchObject({ code: 0, stderr: '' });
  const { stdout, stderr } = await login(second.key);
  expect(stdout).toContain(`Logged in to ${stack().url}. `);
  expect(stderr).toContain(`which ends in ${first.key.slice(-4)}, stays valid`);
  expect(stderr).toContain(`${stack().url}/console#/settings/api-keys`);
  expect(stderr).not.toContain(first.key);
});

test('a key that is given goes to no address of the environment', async () => {
  const cli = await newCli();
  const asked: unknown[] = [];
  const other = await serveHttp((request, response) => {
    asked.push(request.url);
    response.writeHead(404).end();
  });
  onTestFinished(other.close);
  const { key } = await newKey(cli.tenant);
  await cli.runLoggedOut(['login', '--url', stack().url, '--key', key]);
  const env = { ...cli.environment, AGENT_FLOW_URL: other.url };
  const login = cli.begin(['login', '--key', key], env);
  await once(login, 'close');
  expect([login.exitCode, asked]).toEqual([0, []]);
});

test('a login says when a key of the environment comes before it', async () => {
  const cli = await newCli();
  const { key } = await newKey(cli.tenant);
  const { stderr } = await cli.run(['login', '--url', stack().url, '--key', key]);
  expect(stderr).toContain('AGENT_FLOW_KEY is set');
});
