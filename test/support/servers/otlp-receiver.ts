import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import definitions from 'otlp-definitions/build/src/generated/root.js';
import { oddAnswers } from './otlp-answers.ts';
import { serveHttp } from './serve.ts';

// biome-ignore lint/suspicious/noExplicitAny: the types of the definitions name none of them
const { opentelemetry } = definitions as any;
/** OpenTelemetry's own definition of the request. */
const ExportRequest = opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for a root. */
  parentSpanId: string;
  name: string;
  kind: string;
  status: string;
  startedAt: number;
  endedAt: number;
  attributes: Record<string, unknown>;
}

export interface ReceivedExport {
  at: number;
  /** As it was answered. */
  status: number;
  headers: Record<string, string>;
  resource: Record<string, unknown>;
  scope: { name: string; version: string };
  spans: ReceivedSpan[];
}

/**
 * Collects spans. `POST <url>/<name>/<answers>/v1/traces` is answered with these statuses in turn, as in `503,200`, and
 * with the last one from then on; `429:2` has `Retry-After: 2`, and `rejected` is one of the odd answers. `GET <url>/<name>` lists what came, decoded.
 */
export async function startOtlpReceiver() {
  const received = new Map<string, ReceivedExport[]>();

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name = '', answers = '', ...rest] = new URL(request.url ?? '', 'http://receiver').pathname.split(
      '/',
    );
    const before = received.get(name) ?? [];
    if (request.method === 'GET') return void response.end(JSON.stringify(before));
    if (rest.join('/') !== 'v1/traces') return void response.writeHead(404).end();
    const all = answers.split(',');
    const answer = all[before.length] ?? all.at(-1) ?? '200';
    const odd = oddAnswers[answer];
    const [status, retryAfter] = odd ? ['200'] : answer.split(':');
    const exported = exportIn(await buffer(request));
    const headers = request.headers as Record<string, string>;
    const seen = { at: Date.now(), status: Number(status), headers, ...exported };
    received.set(name, [...(received.get(name) ?? []), seen]);
    if (odd) return odd(response, request);
    response.writeHead(Number(status), retryAfter ? { 'retry-after': retryAfter } : {}).end();
  }

  return serveHttp((request, response) => void respond(request, response));
}

// biome-ignore lint/suspicious/noExplicitAny: what protobufjs decodes
type Decoded = any;

export function exportIn(body: Uint8Array): Pick<ReceivedExport, 'resource' | 'scope' | 'spans'> {
  const message = ExportRequest.decode(body);
  const { resourceSpans } = ExportRequest.toObject(message, { longs: Number, enums: String, defaults: true });
  const [{ resource, scopeSpans }] = resourceSpans;
  return {
    resource: attributesIn(resource.attributes),
    scope: { name: scopeSpans[0].scope.name, version: scopeSpans[0].scope.version },
    spans: scopeSpans.flatMap(({ spans }: Decoded) => spans.map(spanIn)),
  };
}

const spanIn = (span: Decoded): ReceivedSpan => ({
  traceId: Buffer.from(span.traceId).toString('hex'),
  spanId: Buffer.from(span.spanId).toString('hex'),
  parentSpanId: Buffer.from(span.parentSpanId).toString('hex'),
  name: span.name,
  kind: span.kind,
  status: span.status.code,
  startedAt: span.startTimeUnixNano / 1e6,
  endedAt: span.endTimeUnixNano / 1e6,
  attributes: attributesIn(span.attributes),
});

const attributesIn = (attributes: Decoded[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueIn(value)]));

function valueIn(value: Decoded): unknown {
  const [[kind, inner] = []] = Object.entries(value) as [string, Decoded][];
  return kind === 'arrayValue' ? inner.values.map(valueIn) : inner;
}
