import { encodeSpans, type OtlpSpan } from '../../adapters/otlp/encode-spans.ts';
import { requireEnv } from '../../core/environment.ts';
import type { Collector } from '../../domain/telemetry/collector.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { splitSpans } from './otlp-requests.ts';
import { nothingSent, type PartOutcome, postSpans } from './post-spans.ts';

export interface SendingOutcome extends PartOutcome {
  /** Undefined if the collector accepted none. */
  acceptedUpTo: string | undefined;
  /** Whether no spans are left. Without an error, the time was over. */
  isComplete: boolean;
}

/** When the last request begins. With its own time it ends before the lease of an export. */
const beginningMsMax = 25_000;

const serviceName = 'agent-flow-service';

const resource = () => ({
  'service.name': serviceName,
  'service.version': requireEnv('SERVICE_VERSION'),
  'deployment.environment.name': requireEnv('DEPLOYMENT_ENVIRONMENT'),
});

/** Sends spans to a collector, a request for each part. Stops at the first failure, and when its time is over. */
export const spanSender = /* @__PURE__ */ using(
  ['telemetry-resource'],
  ({ table: { tenant }, now }: Pick<Scope, 'table' | 'now'>) =>
    async (collector: Collector, spans: readonly OtlpSpan[]): Promise<SendingOutcome> => {
      const until = now().getTime() + beginningMsMax;
      const from = resource();
      const scope = { name: serviceName, version: from['service.version'] };
      let last = nothingSent;
      let acceptedUpTo: string | undefined;
      for (const part of splitSpans(spans)) {
        if (now().getTime() >= until) return { ...last, acceptedUpTo, isComplete: false };
        const body = await encodeSpans(from, scope, part);
        last = together(last, await postSpans(collector, { tenant, body, now: now() }));
        if (last.error !== null) return { ...last, acceptedUpTo, isComplete: false };
        acceptedUpTo = part.at(-1)?.spanId;
      }
      return { ...last, acceptedUpTo, isComplete: true };
    },
);

const together = (before: PartOutcome, last: PartOutcome): PartOutcome => ({
  ...last,
  rejectedSpans: before.rejectedSpans + last.rejectedSpans,
  said: last.said ?? before.said,
});
