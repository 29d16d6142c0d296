/**
 * Sends the spans of a trace to an OpenTelemetry collector, and says what became of them.
 * Spans are converted to OTLP, split into parts and sent a request at a time; sending stops at the first failure and
 * when its time is over, and the outcome names the last span that was accepted, after which the next attempt continues
 * (`skipSentSpans`). Spans that the collector rejected in a successful response are never sent again, as OTLP demands.
 * What a collector says is shown without the values of its headers. A slow collector gets less time, by the same memory
 * as webhooks (`domain/deliveries/signed-request.ts`).
 * `tenant-exports.ts` decides what is exported and retries; `functions/telemetry/test.ts` sends one span by
 * `telemetryTester`. Sampling depends on the trace id only, so all processes decide alike.
 */
import { randomBytes } from 'node:crypto';
import { UrlRefused } from '../../adapters/net/addresses.ts';
import { SlowServer } from '../../adapters/net/fetch-failure.ts';
import { type PostAnswer, postOnly } from '../../adapters/net/post-only.ts';
import { encodeSpans, type OtlpSpan, parsePartialSuccess } from '../../adapters/otlp/encode-spans.ts';
import { requireEnv } from '../../core/environment.ts';
import { retryAfterMs, StepError } from '../../core/errors/step-error.ts';
import { createRedactor } from '../../core/redaction/redactor.ts';
import { truncate } from '../../core/text.ts';
import { getTimeoutMs, recordAnswer, recordTimeout } from '../../domain/deliveries/signed-request.ts';
import type { Span, Trace } from '../../domain/runs/trace.ts';
import {
  type Collector,
  collectorOfSetting,
  MissingSecret,
  secretLengthMin,
} from '../../domain/telemetry/collector.ts';
import { telemetryReader } from '../../domain/telemetry/telemetry-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

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

/** As many as OpenTelemetry's exporters send at once by default. */
const spansOfRequestMax = 512;
/** Collectors refuse large requests. */
const requestCharactersMax = 1_000_000;

/** The spans in parts, each for one request. */
function* splitSpans(spans: readonly OtlpSpan[]): Generator<OtlpSpan[]> {
  let part: OtlpSpan[] = [];
  let characters = 0;
  for (const span of spans) {
    const size = JSON.stringify(span.attributes).length;
    if (part.length > 0 && (part.length === spansOfRequestMax || characters + size > requestCharactersMax)) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(span);
    characters += size;
  }
  if (part.length > 0) yield part;
}

/** What follows a span; all spans if it is not among them. */
export const skipSentSpans = (spans: readonly OtlpSpan[], spanId: string | undefined): OtlpSpan[] =>
  spans.slice(spans.findIndex((span) => span.spanId === spanId) + 1);

const statuses = { ok: 'ok', error: 'error' } as const;

/** @param endedAt Of the run: for what still goes on in it. ISO 8601. */
function toOtlpSpan(traceId: string, span: Span, endedAt: string): OtlpSpan {
  const { spanId, parentSpanId, name, kind, status, attributes, events } = span;
  const startedAt = Date.parse(span.startedAt);
  const message = attributes['error.message'];
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    isClient: kind === 'model',
    startedAt,
    endedAt: Math.max(startedAt, Date.parse(span.endedAt ?? endedAt)),
    status: status === 'ok' || status === 'error' ? statuses[status] : 'unset',
    ...(status === 'error' && typeof message === 'string' && { statusMessage: message }),
    attributes: { ...attributes, 'run.span.kind': kind, 'run.span.status': status },
    events: events.map(({ name, at, attributes }) => ({ name, at: Date.parse(at), attributes })),
  };
}

export function toOtlpSpans({ traceId, runId, spans, truncated }: Trace): OtlpSpan[] {
  const [root] = spans;
  const endedAt = root?.endedAt ?? new Date().toISOString();
  return spans.map((span) => {
    const sent = toOtlpSpan(traceId, span, endedAt);
    if (span !== root) return sent;
    return {
      ...sent,
      attributes: { ...sent.attributes, 'run.id': runId, ...(truncated && { 'run.truncated': true }) },
    };
  });
}

/** The same for all spans of a trace, in every process: by the trace id's last 56 bits, as OpenTelemetry samples. */
export const isSampled = (traceId: string, sample: number): boolean =>
  sample >= 1 || Number.parseInt(traceId.slice(-14), 16) / 2 ** 56 >= 1 - sample;

export interface TestResult {
  ok: boolean;
  /** Null without a response. */
  status: number | null;
  message: string;
}

/** Sends one span once, also if the setting is disabled. @throws 404 without a setting */
export const telemetryTester = /* @__PURE__ */ using(
  [telemetryReader, collectorOfSetting, spanSender],
  (scope: Scope) => async (): Promise<TestResult> => {
    const setting = await telemetryReader(scope)();
    try {
      const collector = await collectorOfSetting(scope)(setting);
      return toTestResult(await spanSender(scope)(collector, [testSpan(scope.now())]));
    } catch (error) {
      if (!(error instanceof MissingSecret)) throw error;
      return { ok: false, status: null, message: error.message };
    }
  },
);

function toTestResult({ error, status, rejectedSpans, said }: SendingOutcome): TestResult {
  if (error !== null) return { ok: false, status, message: error };
  if (rejectedSpans > 0)
    return { ok: false, status, message: `The collector rejected the span${said ? `: ${said}` : ''}` };
  return { ok: true, status, message: `The collector accepted the span${said ? `, and says: ${said}` : ''}` };
}

const testSpan = (at: Date) => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  parentSpanId: null,
  name: 'test',
  isClient: false,
  startedAt: at.getTime(),
  endedAt: at.getTime(),
  status: 'ok' as const,
  attributes: { test: true },
});
