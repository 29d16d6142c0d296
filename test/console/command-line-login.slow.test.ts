import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { commandLinePermissions } from '../../shared/domain/api-keys/command-line-logins.ts';
import { newCli } from '../support/command-line/cli.ts';
import { waitingLogin } from '../support/command-line/cli-login.ts';
import { newProof } from '../support/command-line/command-line-logins.ts';
import { watchedPage } from '../support/console/browser.ts';
import {
  expectGoodScreen,
  goTo,
  openConsole,
  screenAddress,
  browserTest as test,
} from '../support/console/console.ts';
import { expectStatus } from '../support/flows/flows.ts';
import { tenantWithKey } from '../support/stack/keys.ts';
import { callerWith, type Tenant } from '../support/stack/stack.ts';

const keysOf = async ({ call }: Tenant) => (await expectStatus(200, call('GET', '/v1/api-keys'))).apiKeys;
const screenOf = (address: string) => address.replace(/.*#/, '');

test('a person who is not signed in yet signs in, allows the command line less than it asks for, and it has its key', async () => {
  const cli = await newCli();
  const login = await waitingLogin(cli);
  const { page, complaints } = await watchedPage();
  await page.goto(login.address);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('User').fill(cli.tenant.userId);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Allow the command line?' }).waitFor();
  await page.getByText(login.host, { exact: true }).waitFor();
  await page.getByLabel('SECRETS:WRITE').uncheck();
  expect(await keysOf(cli.tenant)).toEqual([]);
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
  expect(new URL(page.url()).host).toBe(`127.0.0.1:${login.port}`);
  expect(await login.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining('Logged in to') });
  const permissions = commandLinePermissions.filter((each) => each !== 'SECRETS:WRITE');
  expect(await keysOf(cli.tenant)).toMatchObject([{ name: `Command line on ${login.host}`, permissions }]);
  const profiles = JSON.parse(readFileSync(join(cli.folder, 'agent-flow/profiles.json'), 'utf8'));
  await expectStatus(200, callerWith(profiles.default.apiKey)('GET', '/v1/runs'));
  expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([]);
  await expectGoodScreen(page);
});

test('Deny ends the command line without a key, and going back asks nothing again', async () => {
  const cli = await newCli();
  const login = await waitingLogin(cli);
  const { page } = await openConsole({ tenant: cli.tenant, screen: screenOf(login.address) });
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('heading', { name: 'You denied the login' }).waitFor();
  expect(await login.ended()).toMatchObject({ code: 1, stderr: expect.stringContaining('was denied') });
  await page.goBack();
  expect(await page.getByRole('button', { name: 'Allow', exact: true }).count()).toBe(0);
  expect(await keysOf(cli.tenant)).toEqual([]);
});

test('the page shows a code for a command line on another computer', async () => {
  const cli = await newCli();
  const login = await waitingLogin(cli, ['--no-browser']);
  const { page } = await openConsole({ tenant: cli.tenant, screen: screenOf(login.address) });
  const allow = page.getByRole('button', { name: 'Allow', exact: true });
  await allow.waitFor();
  await expectGoodScreen(page);
  await allow.click();
  const code = await page.getByRole('group', { name: 'The code' }).textContent();
  await expectGoodScreen(page);
  login.child.stdin?.end(`${code}\n`);
  expect(await login.ended()).toMatchObject({ code: 0 });
});

test('a session grants what it has, and says what is missing', async () => {
  const { challenge } = newProof();
  const permissions = ['API_KEYS:WRITE', 'RECORDS:READ'];
  const { page } = await openConsole({ permissions, screen: `/command-line/laptop/${challenge}` });
  await page.getByLabel('RECORDS:READ').waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(1);
  await page.getByLabel('RECORDS:READ').uncheck();
  await page.getByText('Select at least one permission').waitFor();
  const { page: refused } = await openConsole({
    permissions: ['RECORDS:READ'],
    screen: `/command-line/laptop/${challenge}`,
  });
  await refused.getByText('lacks the permission').waitFor();
  const { page: bare } = await openConsole({
    permissions: ['API_KEYS:WRITE'],
    screen: `/command-line/laptop/${challenge}`,
  });
  await bare.getByText('has none of the permissions').waitFor();
  expect(await bare.getByRole('button', { name: 'Allow', exact: true }).isDisabled()).toBe(true);
  await expectGoodScreen(refused);
});

test('somebody who uses the console with an API key learns how to log in with that', async () => {
  const { key } = await tenantWithKey(['FLOWS:READ']);
  const { page } = await watchedPage();
  await page.goto(screenAddress(`/command-line/laptop/${newProof().challenge}`));
  await page.getByText('Use an API key').click();
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Continue with key' }).click();
  await page.getByText('agent-flow login --key').waitFor();
});

test('an address that no command line made asks for nothing, and leads nowhere else', async () => {
  const { challenge } = newProof();
  const state = 's'.repeat(43);
  const { page } = await openConsole();
  for (const rest of [
    `Your%20bank/${challenge}`,
    'laptop/short',
    `laptop/${challenge}/80@example.com/${state}`,
    `laptop/${challenge}/99999/${state}`,
    `laptop/${challenge}/8080/a%26code=x${state}`,
  ]) {
    await goTo(page, `/command-line/${rest}`);
    await page.getByText('This address is not complete').waitFor();
    expect(await page.getByRole('button', { name: 'Allow', exact: true }).count()).toBe(0);
    await goTo(page, '/flows');
    await page.getByRole('heading', { name: 'Flows' }).waitFor();
  }
});
