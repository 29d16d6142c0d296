import { encodeSpans, type OtlpSpan, parsePartialSuccess } from '../../adapters/encode-spans.ts';
import { UrlRefused } from '../../adapters/net/addresses.ts';
import { SlowServer } from '../../adapters/net/fetch-failure.ts';
import { type PostAnswer, postOnly } from '../../adapters/net/post-only.ts';
import { requireEnv } from '../../core/environment.ts';
import { retryAfterMs, StepError } from '../../core/errors/step-error.ts';
import { createRedactor } from '../../core/redaction/redactor.ts';
import { truncate } from '../../core/text.ts';
import { getTimeoutMs, recordAnswer, recordTimeout } from '../../domain/deliveries/slow-origins.ts';
import type { Collector } from '../../domain/telemetry/collector.ts';
import { secretLengthMin } from '../../domain/telemetry/header-secrets.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { splitSpans } from './otlp-requests.ts';

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
  /** How many spans the collector has rejected for good, though it answered 200. */
  rejectedSpans: number;
  /** What it says of them, or warns of. */
  said?: string | undefined;
}

/** OTLP's answers are far shorter. */
const answerBytesMax = 64_000;

const nothingSent: PartOutcome = { error: null, status: null, isFinal: false, rejectedSpans: 0 };

interface Part {
  tenant: string;
  body: Uint8Array<ArrayBuffer>;
  now: Date;
}

/** Sends spans in one request. */
async function postSpans(collector: Collector, { tenant, body, now }: Part): Promise<PartOutcome> {
  const { url, headers, isOperators } = collector;
  const receiver = { tenant: isOperators ? '' : tenant, url };
  const timeoutMs = getTimeoutMs(receiver, now);
  const all = { ...headers, 'content-type': 'application/x-protobuf' };
  try {
    const request = { url, headers: all, body, timeoutMs, isOperators, bodyBytesMax: answerBytesMax };
    const answer = await postOnly(request);
    recordAnswer(receiver);
    return { ...toOutcome(answer, now), ...(await readCollectorMessage(answer, collector)) };
  } catch (error) {
    if (error instanceof SlowServer) recordTimeout(receiver, timeoutMs, now);
    if (!(error instanceof StepError)) throw error;
    return { ...nothingSent, error: error.message, isFinal: error instanceof UrlRefused };
  }
}

/** OTLP forbids to send rejected spans again. */
async function readCollectorMessage({ body }: PostAnswer, collector: Collector) {
  const partial = body && (await parsePartialSuccess(body));
  if (!partial) return {};
  const { rejectedSpans, message } = partial;
  return { rejectedSpans, said: toShownMessage(message, collector) || undefined };
}

function toOutcome({ status, retryAfter }: PostAnswer, now: Date): PartOutcome {
  const isTaken = status >= 200 && status < 300;
  const error = isTaken ? null : `The collector answered ${status}`;
  const mayTakeLater = status === 429 || status >= 500;
  return {
    ...nothingSent,
    error,
    status,
    isFinal: !isTaken && !mayTakeLater,
    askedMs: mayTakeLater ? retryAfterMs(retryAfter, now) : undefined,
  };
}

const charactersMax = 500;

/** What a collector says, for people: without the values of its headers, which it may repeat. */
function toShownMessage(text: string, { headers }: Pick<Collector, 'headers'>): string {
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  const secrets = values.filter((value) => value.trim().length >= secretLengthMin);
  return truncate(createRedactor(secrets.map((value) => ['', value])).text(text), charactersMax);
}
