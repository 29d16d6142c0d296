import { readdirSync, readFileSync } from 'node:fs';
import type { SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { entries } from '../../infra/aws/conventions/entries.ts';
import { findEntry, lambdaPath } from '../../infra/local/replay.ts';
import { invoke } from '../../infra/local/runtime/invoke.ts';
import { AgentRunMessage } from '../../shared/domain/agents/agent-run-queue.ts';
import { DeliveryMessage, ExportMessage } from '../../shared/domain/deliveries/outbox-messages.ts';
import { JobMessage } from '../../shared/domain/jobs/job-queue.ts';
import { PlanMessage } from '../../shared/execution/batches/batch-plan.ts';
import { RunMessage } from '../../shared/execution/batches/run-message.ts';
import { TimerMessage } from '../../shared/execution/batches/run-timer.ts';
import { FireMessage } from '../../shared/execution/schedules/fire-message.ts';
import { CleanupMessage } from '../../shared/platform/cleanup/cleanup.ts';
import { MigrationMessage } from '../../shared/platform/run-migration.ts';

const folder = new URL('../../events/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
const eventIn = (file: string): unknown => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

function replayed(file: string) {
  const entry = findEntry(file);
  if (!entry) throw new Error(`${file} names no Lambda`);
  return invoke(lambdaPath(entry), eventIn(file), 30);
}

test('every non-HTTP Lambda has a sample event, and every event names a Lambda', () => {
  const named = files.map((file) => findEntry(file)?.id);
  expect(named).not.toContain(undefined);
  const others = entries.filter(({ group }) =>
    ['workers', 'migrations', 'authorizer', 'pre-token-generation'].includes(group),
  );
  expect(named).toEqual(expect.arrayContaining(others.map(({ id }) => id)));
});

test.each([
  ['plan-batch.json', PlanMessage],
  ['run-record.json', RunMessage],
  ['fail-record.json', RunMessage],
  ['run-agent.json', AgentRunMessage],
  ['fail-agent-run.json', AgentRunMessage],
  ['run-job.json', JobMessage],
  ['fail-job.json', JobMessage],
  ['clean-up.json', CleanupMessage],
  ['wake-run.json', TimerMessage],
  ['migrate.json', MigrationMessage],
  ['stop-migration.json', MigrationMessage],
  ['retry-plan.json', PlanMessage],
  ['retry-wake.json', TimerMessage],
  ['retry-cleanup.json', CleanupMessage],
  ['fire-schedule.json', FireMessage],
  ['report-schedule.json', FireMessage],
  ['deliver-webhook.json', DeliveryMessage],
  ['report-delivery.json', DeliveryMessage],
  ['export-telemetry.json', ExportMessage],
])('%s contains messages in the format that the service sends', (file, Message) => {
  const { Records } = eventIn(file) as SQSEvent;
  expect(Records.map(({ body }) => Message.strict().safeParse(JSON.parse(body)).success)).toEqual([true]);
});

test.each([
  ['run-record.json', { batchItemFailures: [] }],
  ['fail-record.json', undefined],
  ['run-agent.json', undefined],
  ['run-job.json', undefined],
  ['fail-job.json', undefined],
  ['sweep-agents.json', undefined],
  ['sweep-inbox.json', undefined],
  ['evaluate-alerts.json', undefined],
  ['fire-schedule.json', { batchItemFailures: [] }],
  ['report-schedule.json', undefined],
  ['sweep-schedules.json', undefined],
  ['deliver-webhook.json', { batchItemFailures: [] }],
  ['report-delivery.json', undefined],
  ['export-telemetry.json', { batchItemFailures: [] }],
  ['sweep-deliveries.json', undefined],
  ['sweep-run-metrics.json', undefined],
  ['clean-up.json', undefined],
  ['sweep.json', undefined],
  ['migrate.json', undefined],
  ['stop-migration.json', undefined],
  ['wake-run.json', undefined],
  ['retry-plan.json', undefined],
  ['retry-wake.json', undefined],
  ['retry-cleanup.json', undefined],
  [
    'pre-token-generation.json',
    expect.objectContaining({
      response: expect.objectContaining({ claimsAndScopeOverrideDetails: expect.anything() }),
    }),
  ],
  ['flows.create.json', expect.objectContaining({ statusCode: 201 })],
])('the Lambda of %s handles the event', async (file, answer) => {
  expect(await replayed(file)).toEqual(answer);
});

test('the Lambda of plan-batch.json parses the event and rejects the unknown batch id', async () => {
  await expect(replayed('plan-batch.json')).rejects.toThrow('Batch not found');
});

test('the Lambda of authorizer.json parses the event and denies the unknown key', async () => {
  expect(await replayed('authorizer.json')).toMatchObject({
    principalId: 'nobody',
    policyDocument: { Statement: [{ Effect: 'Deny' }] },
  });
});
