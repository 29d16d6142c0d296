import { loadOnce } from '../core/concurrency/load-once.ts';

export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  /** Whether it is a request to another system. */
  isClient: boolean;
  /** Unix ms. */
  startedAt: number;
  endedAt: number;
  status: 'unset' | 'ok' | 'error';
  statusMessage?: string | undefined;
  attributes: Readonly<Record<string, unknown>>;
  /** `at` in Unix ms. */
  events?: readonly { name: string; at: number; attributes: Readonly<Record<string, unknown>> }[];
}

type ReadableSpan = Parameters<Awaited<ReturnType<typeof traceSerializer>>['serializeRequest']>[0][number];
type Value = string | number | boolean | string[];

const statusCodes = { unset: 0, ok: 1, error: 2 } as const;
const kinds = { internal: 0, client: 2 } as const;
/** The service's own spans all are sampled. */
const traceFlags = 1;

/** @returns the body of an OTLP request (`application/x-protobuf`). */
export async function encodeSpans(
  attributes: Readonly<Record<string, string>>,
  scope: { name: string; version: string },
  spans: readonly OtlpSpan[],
): Promise<Uint8Array<ArrayBuffer>> {
  // The serializer groups by identity.
  const resource = { attributes } as ReadableSpan['resource'];
  const readable = spans.map((span) => toReadableSpan(span, resource, scope));
  const bytes = (await traceSerializer()).serializeRequest(readable);
  if (!bytes) throw new Error('Spans could not be encoded');
  return bytes as Uint8Array<ArrayBuffer>;
}

const encodeAttributes = (attributes: Readonly<Record<string, unknown>>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]) => {
      const sent = encodeValue(value);
      return sent === undefined ? [] : [[key, sent]];
    }),
  );

function toReadableSpan(
  span: OtlpSpan,
  resource: ReadableSpan['resource'],
  instrumentationScope: ReadableSpan['instrumentationScope'],
): ReadableSpan {
  const { traceId, spanId, parentSpanId, name, startedAt, endedAt, status, statusMessage } = span;
  return {
    name,
    kind: kinds[span.isClient ? 'client' : 'internal'],
    spanContext: () => ({ traceId, spanId, traceFlags }),
    ...(parentSpanId && { parentSpanContext: { traceId, spanId: parentSpanId, traceFlags } }),
    startTime: hrTime(startedAt),
    endTime: hrTime(endedAt),
    duration: hrTime(endedAt - startedAt),
    status: { code: statusCodes[status], ...(statusMessage !== undefined && { message: statusMessage }) },
    attributes: encodeAttributes(span.attributes),
    links: [],
    events: (span.events ?? []).map(({ name, at, attributes }) => ({
      name,
      time: hrTime(at),
      attributes: encodeAttributes(attributes),
    })),
    ended: true,
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

const hrTime = (ms: number): [number, number] => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];

/** Attributes are texts, numbers, booleans and lists of texts: few collectors take more. Others are sent as JSON. */
function encodeValue(value: unknown): Value | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return value.map((each) => each.toWellFormed());
  return JSON.stringify(value);
}

/** Loaded when first used, so that only what exports has it. */
const traceSerializer = loadOnce(async () => {
  const { ProtobufTraceSerializer } = await import('@opentelemetry/otlp-transformer');
  return ProtobufTraceSerializer;
});

/** What a collector says of spans that it answered with 200. */
export interface PartialSuccess {
  /** 0 if it accepted all, and only warns. */
  rejectedSpans: number;
  message: string;
}

/** @returns undefined for a response that says nothing, or that is none of OTLP. */
export async function parsePartialSuccess(body: Uint8Array): Promise<PartialSuccess | undefined> {
  if (body.length === 0) return undefined;
  const said = tryDeserialize(body, await traceSerializer());
  const { rejectedSpans = 0, errorMessage: message = '' } = said ?? {};
  return rejectedSpans > 0 || message !== '' ? { rejectedSpans, message } : undefined;
}

function tryDeserialize(body: Uint8Array, serializer: Awaited<ReturnType<typeof traceSerializer>>) {
  try {
    return serializer.deserializeResponse(body).partialSuccess;
  } catch {
    return undefined;
  }
}
