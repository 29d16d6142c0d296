import { expect } from 'vitest';
import { expectGoodScreen, goTo, openConsole, browserTest as test } from '../support/console/console.ts';
import { createFlow } from '../support/flows/flows.ts';
import { newTenant } from '../support/stack/stack.ts';

const id = (prefix: string) => `${prefix}_01k9m4v7d3x8qz5w2r6t0y1hbn`;
const [agent, product] = [`/agents/${id('agent')}`, `/products/${id('product')}`];

/** What a session without permissions is told on each screen. A flow and the lists of keys are open to the tenant. */
const missingOn = (flow: string) => ({
  '/': ['FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ'],
  '/flows': ['FLOWS:READ'],
  [`${flow}/try`]: ['RECORDS:READ'],
  [`${flow}/versions`]: ['FLOWS:READ'],
  [`${flow}/run`]: ['RECORDS:READ'],
  '/inbox': ['FLOWS:READ', 'AGENTS:READ'],
  '/alerts': ['ALERTS:READ'],
  '/runs': ['FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ'],
  [`/runs/${id('exec')}`]: ['FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ'],
  [`/runs/batches/${id('batch')}`]: ['FLOWS:READ'],
  '/records': ['RECORDS:READ'],
  '/records/type/airport': ['RECORDS:READ'],
  [`/records/record/${id('record')}`]: ['RECORDS:READ'],
  '/agents': ['AGENTS:READ'],
  [agent]: ['AGENTS:READ'],
  [`${agent}/versions`]: ['AGENTS:READ'],
  [`${agent}/runs`]: ['AGENTS:READ'],
  [`/runs${agent}/${id('exec')}`]: ['AGENTS:READ'],
  '/products': ['PRODUCTS:READ'],
  [product]: ['PRODUCTS:READ'],
  [`${product}/surfaces/${id('surface')}`]: ['PRODUCTS:READ'],
  '/settings/secrets': ['SECRETS:READ'],
  '/settings/models': ['MODELS:READ'],
  '/settings/tools': ['TOOLS:READ'],
  '/settings/client-tokens': ['CLIENT_TOKENS:READ'],
  [`/settings/client-tokens/${id('clienttoken')}`]: ['CLIENT_TOKENS:READ'],
  '/settings/audit-log': ['*'],
  '/settings/usage': ['ANALYTICS:READ'],
});

test('with few permissions, each screen names the one that is missing, and stays usable', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const { page, complaints } = await openConsole({ tenant, permissions: ['CONVERSATIONS:READ'] });
  for (const [screen, permissions] of Object.entries(missingOn(`/flows/${flow.id}`))) {
    await goTo(page, screen);
    for (const permission of permissions) {
      const told = page.getByRole('alert').filter({ hasText: permission }).first();
      await told.waitFor().catch(() => {
        throw new Error(`${screen} does not name ${permission}`);
      });
    }
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Home' }).waitFor();
  }
  await expectGoodScreen(page);
  // The browser notes each refused request; nothing else went wrong.
  expect(complaints.filter((text) => !text.includes('403'))).toEqual([]);
});

test('one who may only read flows sees the steps, and is told why saving fails', async () => {
  const { tenant } = await openConsole();
  const steps = [
    { type: 'template', name: 'Greet', config: { template: 'Hello', outputVariable: 'greeting' } },
  ];
  const { id } = await createFlow(tenant, steps);
  const { page } = await openConsole({
    tenant,
    permissions: ['FLOWS:READ'],
    screen: `/flows/${id}`,
  });
  await page.getByLabel('Name', { exact: true }).fill('Greet twice');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'FLOWS:WRITE' }).waitFor();
  await page.getByLabel('Name', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Run on records' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('alert').filter({ hasText: 'RECORDS:READ' }).first().waitFor();
});
