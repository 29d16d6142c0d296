import { UrlRefused } from '../../adapters/net/addresses.ts';
import { SlowServer } from '../../adapters/net/fetch-failure.ts';
import { type PostAnswer, postOnly } from '../../adapters/net/post-only.ts';
import { partialSuccessIn } from '../../adapters/otlp/partial-success.ts';
import { retryAfterMs } from '../../core/errors/retry-after.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { createRedactor } from '../../core/redaction/redactor.ts';
import { truncate } from '../../core/text.ts';
import { noteAnswer, timedOut, timeoutMsFor } from '../../domain/deliveries/slow-origins.ts';
import type { Collector } from '../../domain/telemetry/collector.ts';
import { secretLengthMin } from '../../domain/telemetry/header-secrets.ts';

/** What became of a part of the spans. */
export interface PartOutcome {
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

export const nothingSent: PartOutcome = { error: null, status: null, isFinal: false, rejectedSpans: 0 };

interface Part {
  tenant: string;
  body: Uint8Array<ArrayBuffer>;
  now: Date;
}

/** Sends spans in one request. */
export async function postSpans(collector: Collector, { tenant, body, now }: Part): Promise<PartOutcome> {
  const { url, headers, isOperators } = collector;
  const receiver = { tenant: isOperators ? '' : tenant, url };
  const timeoutMs = timeoutMsFor(receiver, now);
  const all = { ...headers, 'content-type': 'application/x-protobuf' };
  try {
    const request = { url, headers: all, body, timeoutMs, isOperators, bodyBytesMax: answerBytesMax };
    const answer = await postOnly(request);
    noteAnswer(receiver);
    return { ...outcomeOf(answer, now), ...(await saidIn(answer, collector)) };
  } catch (error) {
    if (error instanceof SlowServer) timedOut(receiver, timeoutMs, now);
    if (!(error instanceof StepError)) throw error;
    return { ...nothingSent, error: error.message, isFinal: error instanceof UrlRefused };
  }
}

/** OTLP forbids to send rejected spans again. */
async function saidIn({ body }: PostAnswer, collector: Collector) {
  const partial = body && (await partialSuccessIn(body));
  if (!partial) return {};
  const { rejectedSpans, message } = partial;
  return { rejectedSpans, said: shownMessage(message, collector) || undefined };
}

function outcomeOf({ status, retryAfter }: PostAnswer, now: Date): PartOutcome {
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
function shownMessage(text: string, { headers }: Pick<Collector, 'headers'>): string {
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  const secrets = values.filter((value) => value.trim().length >= secretLengthMin);
  return truncate(createRedactor(secrets.map((value) => ['', value])).text(text), charactersMax);
}
