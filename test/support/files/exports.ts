import type { ExportMessage } from '../../../shared/domain/deliveries/outbox-messages.ts';
import { runExportEntity } from '../../../shared/domain/telemetry/run-export.ts';
import { createExportNotification } from '../../../shared/domain/telemetry/telemetry-notice.ts';
import { TelemetryBody } from '../../../shared/domain/telemetry/telemetry-setting.ts';
import { telemetryWriter } from '../../../shared/domain/telemetry/telemetry-store.ts';
import { runExporter } from '../../../shared/execution/telemetry/tenant-exports.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';
import { silentQueue } from '../data/silent-queue.ts';
import { expectStatus, publishedFlow, template } from '../flows/flows.ts';
import { allowHost, loopback } from '../servers/loopback.ts';
import { oddAnswers } from '../servers/otlp-answers.ts';
import { exportIn, type ReceivedSpan } from '../servers/otlp-receiver.ts';
import { principalHere } from '../stack/principals.ts';
import { countingRuntime, newTenant, type Tenant } from '../stack/stack.ts';

/** `close`, or the name of an odd answer, is the other form. */
export type CollectorAnswer = { status: number; headers?: Record<string, string> } | string;

interface EndedRuns {
  runs?: number;
  setting?: object;
  /** @returns runs that have ended. */
  start?: () => Promise<EndedWorld>;
}

export interface EndedWorld {
  tenant: Tenant;
  ids: string[];
}

/** A run that has ended, which nothing exports but this test: its clock is a year ahead of the sweep of the stack. */
export async function endRuns(
  answer: (n: number) => CollectorAnswer,
  { runs = 1, setting = {}, start = () => run(runs) }: EndedRuns = {},
) {
  const received: { at: number; spans: ReceivedSpan[] }[] = [];
  const clock = { at: Date.now() + 365 * 86_400_000 };
  const { url, host } = await loopback(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ at: clock.at, spans: exportIn(Buffer.concat(chunks)).spans });
    const given = answer(received.length);
    if (given === 'close') response.destroy();
    else if (typeof given === 'string') oddAnswers[given]?.(response, request);
    else response.writeHead(given.status, given.headers).end();
  });
  allowHost(host);
  const sent = await silentQueue<ExportMessage>('TELEMETRY_QUEUE_URL');
  const { tenant, ids } = await start();
  const base = countingRuntime().scopeOf(tenant.tenant);
  // Here, because the stack's own process does not allow a server of the test.
  const body = TelemetryBody.parse({ endpoint: url, ...setting });
  await telemetryWriter(base).put(principalHere(tenant), body);
  const scope: Scope = { ...base, now: () => new Date(clock.at) };
  const keys = [];
  for (const runId of ids) {
    const notice = await createExportNotification(scope, { runId, kind: 'flow' });
    await scope.table.commit(notice.writes);
    for (const write of notice.writes) {
      const [id = '', to = ''] = (write as { Put: { Item: { SK: string } } }).Put.Item.SK.split('#');
      keys.push({ id, to });
    }
  }
  const [key = { id: '', to: '' }] = keys;
  return {
    tenant,
    scope,
    clock,
    sent,
    received,
    key,
    keys,
    attempt: (of = key) => runExporter(scope)(of),
    stored: (of = key) => scope.table.get(runExportEntity, of, { consistent: true }),
  };
}

async function run(count: number): Promise<EndedWorld> {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('Hello', 'greeting')]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
    ids.push(executionId);
  }
  return { tenant, ids };
}
