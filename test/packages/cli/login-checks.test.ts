import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Cli, newCli } from '../../support/command-line/cli.ts';
import { profilesFile } from '../../support/command-line/cli-login.ts';
import { serveHttp } from '../../support/servers/serve.ts';
import { newKey } from '../../support/stack/keys.ts';
import { callerWith, stack } from '../../support/stack/stack.ts';

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

const stored = (cli: Cli, profile: object, name = 'default') => {
  mkdirSync(dirname(profilesFile(cli)), { recursive: true });
  writeFileSync(profilesFile(cli), JSON.stringify({ other: { url: 'x' }, [name]: profile }));
};
const isValid = async (key: string) => (await callerWith(key)('GET', '/v1/usage-limits')).status === 200;

test('a login and a logout delete the key that a login created, and no key that was brought', async () => {
  const cli = await newCli();
  const { url } = stack();
  const [created, brought] = [await newKey(cli.tenant), await newKey(cli.tenant)];
  stored(cli, { url, apiKey: created.key, isOwnKey: true });
  const login = await cli.runLoggedOut(['login', '--key', brought.key]);
  expect(login).toMatchObject({ code: 0, stderr: '' });
  expect([await isValid(created.key), await isValid(brought.key)]).toEqual([false, true]);
  const logout = await cli.runLoggedOut(['logout', '--json']);
  expect(JSON.parse(logout.stdout)).toEqual({ profile: 'default', url, isKeyDeleted: false });
  expect(logout.stderr).toContain(`which ends in ${brought.key.slice(-4)}, stays valid`);
  expect(await isValid(brought.key)).toBe(true);
  expect(JSON.parse(readFileSync(profilesFile(cli), 'utf8'))).toEqual({ other: { url: 'x' } });
  const again = await cli.runLoggedOut(['logout']);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no stored login') });
});

test('a logout deletes its key in any profile, and says so', async () => {
  const cli = await newCli();
  const { url } = stack();
  const { key } = await newKey(cli.tenant, { permissions: [] });
  stored(cli, { url, apiKey: key, isOwnKey: true }, 'staging');
  const logout = await cli.runLoggedOut(['logout', '--profile', 'staging']);
  expect(logout).toEqual({ code: 0, stdout: `Logged out of ${url}. The key was deleted\n`, stderr: '' });
  expect(await isValid(key)).toBe(false);
});

test('a logout from a deployment that does not respond forgets the login, and says that the key stays valid', async () => {
  const cli = await newCli();
  const gone = await serveHttp(() => {});
  await gone.close();
  stored(cli, { url: gone.url, apiKey: 'tv_live_x1y2', isOwnKey: true });
  const { code, stderr } = await cli.runLoggedOut(['logout']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/could not be deleted[\s\S]*ends in x1y2, stays valid/);
  expect(JSON.parse(readFileSync(profilesFile(cli), 'utf8'))).toEqual({ other: { url: 'x' } });
});
