import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import type { PayloadRef } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type EndNotification, noNotification } from '../deliveries/end-webhook.ts';
import { exportDays, exportQueue, type RunExport, runExportEntity, toDeployment } from './run-export.ts';
import { readRecentTelemetrySetting } from './telemetry-setting.ts';

export interface EndedRun {
  runId: string;
  kind: string;
  /** How long something may go on in it. */
  delaySeconds?: number;
  /** Keeps what was said in it, for a collector that gets contents. Default: the trace has it. */
  keepContent?: (() => Promise<PayloadRef | undefined>) | undefined;
}

const hasDeploymentCollector = () => Boolean(process.env.OTEL_EXPORTER_OTLP_ENDPOINT);

/** For the end of a run without parent: whoever collects its trace. Costs half a unit every few seconds, and a write for each collector. */
export const createExportNotification = /* @__PURE__ */ using(
  ['table:write', exportQueue, 'deployment-collector'],
  async (scope: Pick<Scope, 'table' | 'now'>, run: EndedRun): Promise<EndNotification> => {
    const { table, now } = scope;
    const setting = await readRecentTelemetrySetting(table);
    const active = setting?.enabled && setting.sample > 0 ? setting : undefined;
    const collectors = [
      ...(active ? [active.versionId] : []),
      ...(hasDeploymentCollector() ? [toDeployment] : []),
    ];
    if (collectors.length === 0) return noNotification;
    const content = active?.content === 'full' ? await run.keepContent?.() : undefined;
    const exports = collectors.map((to) => ({
      ...createExport(run, to, now()),
      ...(content && to === active?.versionId && { content }),
    }));
    return {
      writes: exports.map((each) => table.writes.put(runExportEntity, each)),
      async send() {
        await Promise.all(exports.map((each) => exportQueue({ table }).sendOrLeave(each, run.delaySeconds)));
      },
    };
  },
);

function createExport({ runId, kind, delaySeconds = 0 }: EndedRun, to: string, at: Date): RunExport {
  const createdAt = at.toISOString();
  const nextAttemptAt = new Date(at.getTime() + delaySeconds * 1_000).toISOString();
  const ttl = unixSeconds(at) + exportDays * 86_400;
  return { id: runId, to, kind, tries: 0, nextAttemptAt, createdAt, ttl };
}
