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

/** What became of a part of the spans. */
interface PartOutcome {
  /** Null if the collector accepted them. */
  error: string | null;
  /** Of the last response; null without one. */
  status: number | null;
  /** Whether a further attempt is pointless. */
  isFinal: boolean;
  /** The pause that the collector asks for. */
  askedMs?: number | undefined;
}

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
      let last: PartOutcome = { error: null, status: null, isFinal: false };
      let acceptedUpTo: string | undefined;
      for (const part of requestsOf(spans)) {
        if (now().getTime() >= until) return { ...last, acceptedUpTo, isComplete: false };
        const body = await encodeSpans(from, scope, part);
        last = await post(collector, { tenant, body, now: now() });
        if (last.error !== null) return { ...last, acceptedUpTo, isComplete: false };
        acceptedUpTo = part.at(-1)?.spanId;
      }
      return { ...last, acceptedUpTo, isComplete: true };
    },
);

interface Part {
  tenant: string;
  body: Uint8Array<ArrayBuffer>;
  now: Date;
}

async function post(
  { url, headers, isOperators }: Collector,
  { tenant, body, now }: Part,
): Promise<PartOutcome> {
  const receiver = { tenant: isOperators ? '' : tenant, url };
  const timeoutMs = timeoutMsFor(receiver, now);
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

function outcomeOf({ status, retryAfter }: PostAnswer, now: Date): PartOutcome {
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
