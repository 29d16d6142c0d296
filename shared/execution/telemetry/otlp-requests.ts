import type { OtlpSpan } from '../../adapters/encode-spans.ts';
import type { Span, Trace } from '../../domain/runs/trace.ts';

/** As many as OpenTelemetry's exporters send at once by default. */
const spansOfRequestMax = 512;
/** Collectors refuse large requests. */
const requestCharactersMax = 1_000_000;

/** The spans in parts, each for one request. */
export function* splitSpans(spans: readonly OtlpSpan[]): Generator<OtlpSpan[]> {
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
