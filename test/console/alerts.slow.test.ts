import { randomUUID } from 'node:crypto';
import { expect, inject } from 'vitest';
import { alertEventEntity } from '../../shared/domain/alerts/alert.ts';
import { expectGoodScreen, goTo, openConsole, browserTest as test } from '../support/console/console.ts';
import { dispatchSteps } from '../support/flows/budgets.ts';
import { expectStatus, template } from '../support/flows/flows.ts';
import { createSchedule, daily, scheduleSurface } from '../support/flows/schedules.ts';
import type { ReceivedWebhook } from '../support/servers/webhook-receiver.ts';
import { eventually } from '../support/stack/eventually.ts';
import { countingRuntime, newTenant, type Tenant } from '../support/stack/stack.ts';

const listed = async ({ call }: Tenant) => (await expectStatus(200, call('GET', '/v1/alerts'))).data;

test('an alert is made of a template, tested, changed, disabled and deleted', async () => {
  const { page, tenant, complaints } = await openConsole({ screen: '/alerts' });
  await page.getByText('No alerts').waitFor();
  await expectGoodScreen(page);
  await page.getByRole('button', { name: /More than 5 % fail/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Create alert' });
  expect(await dialog.getByLabel('Bound, in %').inputValue()).toBe('5');
  await expectGoodScreen(page);
  const webhookUrl = `${inject('webhooksUrl')}/${randomUUID()}`;
  await dialog.getByLabel('Webhook').fill(webhookUrl);
  await dialog.getByLabel('Email addresses').fill('ada@example.com');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('alertdialog', { name: 'The signing secret of the webhook' }).waitFor();
  await page.getByRole('button', { name: 'I stored it' }).click();
  const panel = page.getByRole('region', { name: 'More than 5 % fail' });
  await panel.getByText('Failure rate over 5 % in 15 minutes').waitFor();
  await panel.getByText('It has told nothing in the last 90 days.').waitFor();
  await expectGoodScreen(page);
  expect(await listed(tenant)).toMatchObject([
    { metric: 'failure-rate', above: 0.05, windowMinutes: 15, minRuns: 20, notify: { webhookUrl } },
  ]);
  await panel.getByRole('button', { name: 'Send test message' }).click();
  await page.getByText('2 test messages are on their way').waitFor();
  await eventually(async () => {
    const all: ReceivedWebhook[] = await (await fetch(webhookUrl)).json();
    expect(all.map(({ body }) => JSON.parse(body).type)).toEqual(['alert.test']);
  });
  await panel.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit More than 5 % fail' });
  await edit.getByLabel('Bound, in %').fill('12.5');
  await edit.getByLabel('Of', { exact: true }).selectOption('All agents');
  await edit.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('Failure rate over 12.5 % in 15 minutes').waitFor();
  expect(await listed(tenant)).toMatchObject([
    { above: 0.125, scope: { kind: 'agent' }, notify: { webhookUrl } },
  ]);
  await panel.getByRole('button', { name: 'Disable' }).click();
  await panel.getByText('Disabled').waitFor();
  await panel.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No alerts').waitFor();
  expect(complaints).toEqual([]);
});

test('a schedule that did not run is told by its ID; a form says what is wrong, and keeps what one wrote', async () => {
  const tenant = await newTenant();
  const { path, flowId } = await scheduleSurface(tenant);
  const { id: scheduleId } = await createSchedule(tenant, path, daily(flowId));
  const { page } = await openConsole({ tenant, screen: '/alerts' });
  await page.getByRole('button', { name: /A schedule did not run/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Create alert' });
  await dialog.getByLabel('ID of the schedule').fill('nightly');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByRole('alert').waitFor();
  const unknown = `schedule_${'0'.repeat(26)}`;
  await dialog.getByLabel('ID of the schedule').fill(unknown);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText(`There is no schedule ${unknown}`).first().waitFor();
  await dialog.getByLabel('ID of the schedule').fill(scheduleId);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('region', { name: 'A schedule did not run' }).waitFor();
  expect(await listed(tenant)).toMatchObject([
    { metric: 'runs', below: 1, windowMinutes: 1_440, scope: { scheduleId }, notify: { emails: [] } },
  ]);
});

test('a chart makes an alert of what it shows, and marks when alerts fired', async () => {
  const tenant = await newTenant();
  await dispatchSteps(tenant, [template('hello')]);
  const { page } = await openConsole({ tenant });
  const runs = page.getByRole('region', { name: 'Runs', exact: true });
  await runs.getByRole('button', { name: 'Alert me …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Alert me when this is too high: Runs' });
  expect(await dialog.getByLabel('Tell me when').inputValue()).toBe('failures');
  expect(await dialog.getByLabel('In the last').inputValue()).toBe('60');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Alert created').waitFor();
  const [alert] = await listed(tenant);
  expect(alert).toMatchObject({ metric: 'failures', above: 1, windowMinutes: 60 });
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const at = new Date(Date.now() - 3 * 3_600_000).toISOString();
  const event = { alertId: alert.id, type: 'firing' as const, at, value: 3, ttl: 4_000_000_000 };
  await table.commit([table.writes.put(alertEventEntity, event)]);
  await page.reload();
  await runs.getByText('Alert fired: More than 1 run failed in 1 hour').waitFor();
  await expectGoodScreen(page);
  await goTo(page, `/alerts?alert=${alert.id}`);
  await page.getByText(/^Fired at 3 runs/).waitFor();
});
