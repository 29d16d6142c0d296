/**
 * The ids of traces and spans, and their text forms: the header of W3C Trace Context, and what is stored with a run.
 * The id of a span is a hash of the run and the place in it, that of a trace one of its first run; only where a run was
 * started in a span is stored (`startedIn`). Pure; which span is active is in `active-span.ts`.
 */
import { createHash } from 'node:crypto';

/** The run of which the spans are. */
export interface TracedRun {
  traceId: string;
  runId: string;
  /** Set for a run whose steps are not stored: others are told of its own span, which its trace shows. */
  isUnkept?: true;
}

/** Where a span belongs: W3C Trace Context. */
export interface TraceContext {
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits. */
  spanId: string;
}

const hashToHex = (digits: number, ...names: readonly string[]): string => {
  const digest = createHash('sha256').update(names.join('\0')).digest('hex').slice(0, digits);
  // An id of zeros is invalid.
  return /[1-9a-f]/.test(digest) ? digest : `${digest.slice(1)}1`;
};

/** The trace of a run that was started without one. */
export const runTraceId = (runId: string) => hashToHex(32, 'trace', runId);

/** @param path The place in the run; empty for the run itself. */
export const runSpanId = (runId: string, path: string) => hashToHex(16, 'span', runId, path);

const traceparent =
  /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-[0-9a-f]{2}(?<more>-.*)?$/;

const zeros = /^0+$/;

/** Undefined for a header that the standard tells to ignore. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const { version = '', traceId = '', spanId = '', more } = traceparent.exec(header ?? '')?.groups ?? {};
  if (version === '' || version === 'ff' || zeros.test(traceId) || zeros.test(spanId)) return undefined;
  // Only later versions may say more.
  return version === '00' && more !== undefined ? undefined : { traceId, spanId };
}

export const formatTraceparent = ({ traceId, spanId }: TraceContext) => `00-${traceId}-${spanId}-01`;

/** As stored with a run: `<traceId>-<spanId>`. */
export const formatContext = ({ traceId, spanId }: TraceContext) => `${traceId}-${spanId}`;

export const readContext = (stored: string | undefined) =>
  stored === undefined ? undefined : parseTraceparent(`00-${stored}-01`);

/** @param startedIn As stored with the run. @param source Whose trace it is without that. */
export const toTracedRun = (runId: string, startedIn: string | undefined, source = runId) => ({
  runId,
  traceId: readContext(startedIn)?.traceId ?? runTraceId(source),
});
