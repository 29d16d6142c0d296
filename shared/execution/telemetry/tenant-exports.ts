/**
 * How the trace of a run reaches its collectors.
 *
 * The end of a run without parent reads the tenant's setting, and its transaction writes an export for each collector, the
 * tenant's and the deployment's (`shared/domain/telemetry/telemetry-notice.ts`). An export names the version of the setting, so
 * a change holds for later runs only; what was said in a call of a model by itself is part of it, if its collector gets contents.
 * The worker leases the export, derives the trace from what is stored, sends it in requests of up to 512 spans, and deletes
 * the export. After 25 seconds an attempt begins no further request; the next one continues after the last span that was
 * accepted. After a failure that may pass it has its next time, for an hour
 * since the last progress; a final refusal ends it, as does a deleted run or setting. Sampling drops whole traces. While a collector refuses, a process asks it once in a while and
 * lets the other exports wait without reading their traces (`shared/domain/deliveries/quiet-origins.ts`).
 */

import { hasCode } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { attemptItem, hasLease, type Leased, scheduleAttempt } from '../../domain/deliveries/outbox.ts';
import { quietMsLeft, recordRefusal, recordSuccess } from '../../domain/deliveries/quiet-origins.ts';
import { type Collector, MissingSecret } from '../../domain/telemetry/collector.ts';
import { collectors } from '../../domain/telemetry/collectors.ts';
import {
  type ExportKey,
  exportOutbox,
  exportPauseMs,
  exportQueue,
  runExportEntity,
} from '../../domain/telemetry/run-export.ts';
import { using } from '../../platform/aws/uses.ts';
import { payloadRemover } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { runTrace } from '../traces/run-trace.ts';
import { isSampled, skipSentSpans, toOtlpSpans } from './otlp-requests.ts';
import { type SendingOutcome, spanSender } from './send-spans.ts';

type Export = Leased<typeof runExportEntity>;
/** What an attempt leaves to later ones. */
type Rest = Pick<SendingOutcome, 'error' | 'isFinal' | 'askedMs'> &
  Partial<Pick<SendingOutcome, 'acceptedUpTo'>>;

const over = undefined;

/** One process at a time has the lease. If it crashes, the collector may get the spans twice, with the same ids. */
export const runExporter = /* @__PURE__ */ using(
  ['table:write', 'table:delete', payloadRemover, collectors, exportQueue, spanSender, runTrace],
  (scope: Scope) => {
    const { table, now } = scope;

    /** @returns undefined if nothing is left to do */
    async function attempt(item: Export): Promise<Rest | undefined> {
      const collector = await collectors(scope)(item.to);
      if (!collector) return over;
      const origin = toOriginKey(table.tenant, collector);
      const quietMs = quietMsLeft(origin, now());
      const isLast = exportPauseMs({ ...item, tries: 1 }, now(), {}) === undefined;
      if (quietMs > 0 && !isLast)
        return {
          error: 'The collector has just refused others',
          isFinal: false,
          askedMs: ownPause(item, quietMs),
        };
      const content = collector.content === 'full';
      const trace = await runTrace(scope)(item.id, { content, kept: item.content });
      if (!isSampled(trace.traceId, collector.sample)) return over;
      const spans = skipSentSpans(toOtlpSpans(trace), item.acceptedUpTo);
      const sent = await spanSender(scope)(collector, spans);
      const { rejectedSpans, said } = sent;
      if (rejectedSpans > 0)
        log.warn('A collector rejected spans of a run', { runId: item.id, rejectedSpans, reason: said });
      if (sent.error === null) recordSuccess(origin);
      else if (!sent.isFinal) recordRefusal(origin, now(), sent.askedMs);
      return sent.isComplete ? over : sent;
    }

    /** Longer than the origin is left in peace. */
    const ownPause = (item: Export, quietMs: number) =>
      Math.max(quietMs, exportPauseMs({ ...item, tries: item.tries + 1 }, now(), {}) ?? 0);

    async function settle(item: Export, rest: Rest | undefined): Promise<void> {
      const { acceptedUpTo } = rest ?? {};
      const hasProgressed = acceptedUpTo !== undefined;
      const tries = (hasProgressed ? 0 : item.tries) + (rest?.error ? 1 : 0);
      const pauseMs =
        rest && !rest.isFinal
          ? exportPauseMs({ ...item, tries }, now(), { ...rest, hasProgressed })
          : undefined;
      if (pauseMs !== undefined)
        return scheduleAttempt(scope, exportOutbox, item, { pauseMs, set: { tries, acceptedUpTo } });
      if (rest) log.warn('The export of a run was given up', { runId: item.id, error: rest.error, tries });
      await table.commit([table.writes.remove(runExportEntity, item, hasLease(exportOutbox, item))]);
      if (item.content && 'pointer' in item.content) await payloadRemover().remove([item.content.pointer]);
    }

    return (key: ExportKey): Promise<void> =>
      attemptItem(scope, exportOutbox, key, {
        attempt: (item) => attempt(item).catch(toRest),
        settle,
      });
  },
);

/** That of the operator is one for all tenants. */
const toOriginKey = (tenant: string, { url, isOperators }: Collector) =>
  JSON.stringify([isOperators ? '' : tenant, new URL(url).origin]);

function toRest(error: unknown): Rest | undefined {
  if (hasCode(error, 'NOT_FOUND')) return over;
  if (error instanceof MissingSecret) return { error: error.message, isFinal: false };
  log.error('A run could not be exported and will be tried again', { error });
  return { error: 'The trace could not be read', isFinal: false };
}
