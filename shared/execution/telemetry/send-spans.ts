import { UrlRefused } from '../../adapters/net/addresses.ts';
import { SlowServer } from '../../adapters/net/fetch-failure.ts';
import { type PostAnswer, postOnly } from '../../adapters/net/post-only.ts';
import { encodeSpans, type OtlpSpan } from '../../adapters/otlp/encode-spans.ts';
import { requireEnv } from '../../core/environment.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { retryAfterMs } from '../../core/time/retry-after.ts';
import { answered, timedOut, timeoutMsFor } from '../../domain/deliveries/slow-origins.ts';
import type { Collector } from '../../domain/telemetry/collector.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { requestsOf } from './otlp-requests.ts';

/** What became of spans. */
export interface SendingOutcome {
  /** Null if the collector took them. */
  error: string | null;
  /** Of the last response; null without one. */
  status: number | null;
  /** Whether a further attempt is pointless. */
  isFinal: boolean;
  /** The pause that the collector asks for. */
  askedMs?: number | undefined;
}

/** For all requests of a trace: less than the lease of an export. */
const sendingMsMax = 40_000;

const serviceName = 'agent-flow-service';

const resource = () => ({
  'service.name': serviceName,
  'service.version': requireEnv('SERVICE_VERSION'),
  'deployment.environment.name': requireEnv('DEPLOYMENT_ENVIRONMENT'),
});

/** Sends spans to a collector, a request for each part. Stops at the first failure. */
export const spanSender = /* @__PURE__ */ using(
  ['telemetry-resource'],
  ({ table: { tenant }, now }: Pick<Scope, 'table' | 'now'>) =>
    async (collector: Collector, spans: readonly OtlpSpan[]): Promise<SendingOutcome> => {
      const until = performance.now() + sendingMsMax;
      const from = resource();
      const scope = { name: serviceName, version: from['service.version'] };
      let last: SendingOutcome = { error: null, status: null, isFinal: false };
      for (const part of requestsOf(spans)) {
        const leftMs = Math.round(until - performance.now());
        if (leftMs <= 0) return { ...last, error: `${collector.url} takes too long for all spans` };
        last = await post(collector, {
          tenant,
          body: await encodeSpans(from, scope, part),
          leftMs,
          now: now(),
        });
        if (last.error !== null) return last;
      }
      return last;
    },
);

interface Part {
  tenant: string;
  body: Uint8Array<ArrayBuffer>;
  leftMs: number;
  now: Date;
}

async function post(
  { url, headers, isOperators }: Collector,
  { tenant, body, leftMs, now }: Part,
): Promise<SendingOutcome> {
  const receiver = { tenant: isOperators ? '' : tenant, url };
  const timeoutMs = Math.min(timeoutMsFor(receiver, now), leftMs);
  const all = { ...headers, 'content-type': 'application/x-protobuf' };
  try {
    const answer = await postOnly({ url, headers: all, body, timeoutMs, isOperators });
    answered(receiver);
    return outcomeOf(answer, now);
  } catch (error) {
    if (error instanceof SlowServer) timedOut(receiver, timeoutMs, now);
    if (!(error instanceof StepError)) throw error;
    return { error: error.message, status: null, isFinal: error instanceof UrlRefused };
  }
}

function outcomeOf({ status, retryAfter }: PostAnswer, now: Date): SendingOutcome {
  const isTaken = status >= 200 && status < 300;
  const error = isTaken ? null : `The collector answered ${status}`;
  const mayTakeLater = status === 429 || status >= 500;
  return {
    error,
    status,
    isFinal: !isTaken && !mayTakeLater,
    askedMs: mayTakeLater ? retryAfterMs(retryAfter, now) : undefined,
  };
}
