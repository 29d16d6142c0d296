import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { endpoints } from '../../../functions/index.ts';
import { hostLabel } from '../../../packages/cli/src/session/browser-login.ts';
import { openLoopback } from '../../../packages/cli/src/session/loopback.ts';
import { commandLinePermissions } from '../../../shared/domain/api-keys/command-line-logins.ts';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';
import { grants } from '../../../shared/platform/identity/permissions.ts';
import { type Cli, newCli } from '../../support/command-line/cli.ts';
import { profilesFile, waitingLogin } from '../../support/command-line/cli-login.ts';
import { loginBody, loginsPath } from '../../support/command-line/command-line-logins.ts';
import { runProgram } from '../../support/command-line/run-program.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { serveHttp } from '../../support/servers/serve.ts';
import { stack } from '../../support/stack/stack.ts';

const expectNoProfile = (cli: Cli) => expect(() => statSync(profilesFile(cli))).toThrow('ENOENT');
const allow = async ({ tenant }: Cli, { challenge, host }: { challenge: string; host: string }) => {
  const body = loginBody(challenge, { host, permissions: [...commandLinePermissions] });
  return (await expectStatus(201, tenant.call('POST', loginsPath, { body }))).code as string;
};

test('login opens a page of the console, and stores the key that a person allows there for its owner alone', async () => {
  const cli = await newCli();
  const login = await waitingLogin(cli);
  expect(login.address).toMatch(new RegExp(`^${stack().url}/console#/command-line/`));
  const { status, text, headers } = await login.bring({
    code: await allow(cli, login),
    state: login.state ?? '',
  });
  expect([status, text]).toEqual([200, expect.stringContaining('You can close this window')]);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  const { code, stdout, stderr } = await login.ended();
  expect(stderr).toContain('No browser opened');
  const path = profilesFile(cli);
  expect([code, stdout]).toEqual([0, `Logged in to ${stack().url}. The key is in ${path}\n`]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, 'utf8')).default.isOwnKey).toBe(true);
  expect((await cli.runLoggedOut(['runs', '--json'])).stdout).toBe('[]\n');
  const { apiKeys } = await expectStatus(200, cli.tenant.call('GET', '/v1/api-keys'));
  const name = `Command line on ${hostLabel(hostname())}`;
  expect(apiKeys).toMatchObject([{ name, permissions: commandLinePermissions }]);
});

test('an answer without the state of the login is refused, and the login goes on waiting', async () => {
  const cli = await newCli();
  const login = await waitingLogin(cli);
  for (const state of ['', 'x'.repeat(43)]) {
    const { status, text } = await login.bring({ code: 'tv_login_x', state });
    expect([status, text]).toEqual([400, expect.stringContaining('no answer to a login')]);
  }
  expect((await fetch(`http://127.0.0.1:${login.port}/?state=${login.state}`)).status).toBe(400);
  await login.bring({ code: await allow(cli, login), state: login.state ?? '' });
  expect((await login.ended()).code).toBe(0);
});

test('a person who denies the login, and a code that is not valid, leave no profile', async () => {
  const cli = await newCli();
  for (const [answer, page, message] of [
    [{ error: 'access_denied' }, 'You denied the login', 'The login was denied in the browser'],
    [{ code: 'tv_login_x' }, 'The login failed', 'The code is wrong, used or expired'],
  ] as const) {
    const login = await waitingLogin(cli);
    expect((await login.bring({ ...answer, state: login.state ?? '' })).text).toContain(page);
    const { code, stdout, stderr } = await login.ended();
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
    expectNoProfile(cli);
  }
});

test('without a browser on its computer, login takes the code that the page of another one shows', async () => {
  const cli = await newCli();
  mkdirSync(dirname(profilesFile(cli)));
  writeFileSync(profilesFile(cli), '{}', { mode: 0o644 });
  const login = await waitingLogin(cli, ['--no-browser', '--json']);
  expect([login.port, login.state]).toEqual([undefined, undefined]);
  login.child.stdin?.end(`${await allow(cli, login)}\n`);
  const { code, stdout } = await login.ended();
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ profile: 'default', url: stack().url, path: profilesFile(cli) });
  expect(statSync(profilesFile(cli)).mode & 0o777).toBe(0o600);
});

test('a login that could not be stored does not begin', async () => {
  const cli = await newCli();
  const folder = dirname(profilesFile(cli));
  writeFileSync(folder, 'a file where the folder has to be');
  for (const problem of ['Logins cannot be stored in', 'does not contain profiles']) {
    const { code, stderr } = await cli.runLoggedOut(['login', '--url', stack().url]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
    expect(stderr).not.toContain('Allow the login');
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    writeFileSync(profilesFile(cli), '{');
  }
});

test('a login that is interrupted ends at once and stores nothing', async () => {
  const cli = await newCli();
  const login = await waitingLogin(cli);
  login.child.kill('SIGINT');
  expect(await login.ended()).toMatchObject({ signal: 'SIGINT', stdout: '' });
  await expect(login.bring({ code: 'x', state: login.state ?? '' })).rejects.toThrow();
  expectNoProfile(cli);
});

test('a login that nobody answers ends', async () => {
  const loopback = await openLoopback();
  onTestFinished(loopback.close);
  const patience = new AbortController();
  const answer = loopback.answer(patience.signal);
  patience.abort();
  await expect(answer).rejects.toThrow('Nobody answered in the browser in time');
});

test('a browser that is closed before its page comes does not hold the login', async () => {
  const loopback = await openLoopback();
  const page = fetch(`http://127.0.0.1:${loopback.port}/callback?code=x&state=${loopback.state}`);
  const { code, show } = await loopback.answer(new AbortController().signal);
  loopback.close();
  await expect(page).rejects.toThrow();
  await show('done');
  expect(code).toBe('x');
});

test('where browsers cannot sign in, login says how to log in with a key', async () => {
  const cli = await newCli();
  const { url, close } = await serveHttp((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Sign-in not found"}');
  });
  onTestFinished(close);
  const { code, stderr } = await cli.runLoggedOut(['login', '--url', url]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('agent-flow login --key')]);
});

test.each([
  ['laptop.local', 'laptop.local'],
  ['Ada’s MacBook', 'Ada-s-MacBook'],
  ['<img src=x>\u202e', 'img-src-x-'],
  ['', 'computer'],
  ['x'.repeat(300), 'x'.repeat(100)],
])('a computer named %j calls itself %j', (name, label) => {
  expect(hostLabel(name)).toBe(label);
});

test('the permissions of the command line are enough for each operation that its commands call', () => {
  const folder = join(import.meta.dirname, '../../../packages/cli/src');
  const source = globSync('**/*.ts', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
  const idOf = (group: string, verb: string) =>
    `${group}.${verb === 'iterate' ? 'list' : verb}`.replace(
      /[A-Z]/g,
      (letter) => `-${letter.toLowerCase()}`,
    );
  const calls = [...source.join('\n').matchAll(/(\w+)\.(\w+)\(/g)].map(([, group = '', verb = '']) =>
    idOf(group, verb),
  );
  const called = (endpoints as readonly AnyEndpoint[]).filter(({ id }) => calls.includes(id));
  expect(called.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['flows.list', 'agent-runs.execute', 'records.upload-csv', 'workspace.apply']),
  );
  expect(called.filter(({ permission }) => !grants(commandLinePermissions, permission))).toEqual([]);
});

/** A login with a program for a browser, which only notes what it is started with. */
async function openedLogin() {
  const cli = await newCli();
  const noted = join(cli.folder, 'opened');
  writeFileSync(join(cli.folder, 'xdg-open'), `#!/bin/sh\necho "$@" > ${noted}\n`, { mode: 0o700 });
  const login = await waitingLogin(cli);
  await expect.poll(() => existsSync(noted) && readFileSync(noted, 'utf8').endsWith('\n')).toBe(true);
  const open = (url: string) => fetch(url, { redirect: 'manual' });
  return { cli, login, open, opened: readFileSync(noted, 'utf8').trim() };
}

test('what the list of processes shows of a login leads to its page once, and the terminal says whose account it is', async () => {
  const { cli, login, open, opened } = await openedLogin();
  for (const secret of [login.challenge, login.state ?? '']) expect(opened).not.toContain(secret);
  const { status, headers } = await open(opened);
  expect([status, headers.get('location')]).toEqual([302, login.address]);
  await login.bring({ code: await allow(cli, login), state: login.state ?? '' });
  const { code, stderr } = await login.ended();
  expect(code).toBe(0);
  expect(stderr).toContain(`${cli.tenant.userId} allowed the login`);
});

test('a login whose page is opened twice ends without a key', async () => {
  const { cli, login, open, opened } = await openedLogin();
  await open(opened);
  const again = await open(opened);
  expect([again.status, await again.text()]).toEqual([410, expect.stringContaining('opened before')]);
  const { code, stderr } = await login.ended();
  expect([code, stderr]).toEqual([1, expect.stringContaining('opened twice, perhaps by somebody else')]);
  expectNoProfile(cli);
});

test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
  'another user of the computer gets neither the page nor the answer',
  async () => {
    // Root may pass on requests of others, so that the login is of an ordinary user here.
    vi.spyOn(process, 'getuid').mockReturnValue(1_000);
    const loopback = await openLoopback();
    onTestFinished(() => {
      loopback.close();
      vi.restoreAllMocks();
    });
    const url = loopback.leadTo('https://example.com/');
    const program =
      'fetch(process.argv[1], { redirect: "manual" }).then(({ status }) => console.log(status))';
    const statusFor = async (uid: number, address: string) =>
      (
        await runProgram(process.execPath, ['-e', program, address], { uid, gid: uid, cwd: '/' })
      ).stdout.trim();
    const callback = new URL(`/callback?state=${loopback.state}&code=x`, url).href;
    expect(await statusFor(65_534, url)).toBe('403');
    expect(await statusFor(65_534, callback)).toBe('403');
    expect(await statusFor(1_000, url)).toBe('302');
  },
);
