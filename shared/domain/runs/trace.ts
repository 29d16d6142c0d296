/** Derived from what is stored of a run: nothing more is written for it. */

export const spanKinds = [
  'run',
  'record',
  'step',
  'attempt',
  'turn',
  'model',
  'tool',
  'wait',
  'flow',
  'agent',
] as const;
export type SpanKind = (typeof spanKinds)[number];

export const spanStatuses = ['ok', 'error', 'running', 'waiting', 'skipped'] as const;
export type SpanStatus = (typeof spanStatuses)[number];

export interface Span {
  /** 16 hex digits, derived from the run and the place in it. */
  spanId: string;
  parentSpanId: string | null;
  name: string;
  kind: SpanKind;
  status: SpanStatus;
  /** ISO 8601. */
  startedAt: string;
  /** Null while it goes on. */
  endedAt: string | null;
  durationMs: number | null;
  /** OpenTelemetry's GenAI conventions where they have a name. */
  attributes: Record<string, unknown>;
  /** What happened in it: warnings. */
  events: SpanEvent[];
}

interface SpanEvent {
  name: 'warning';
  /** ISO 8601. */
  at: string;
  attributes: Record<string, unknown>;
}

export interface Trace {
  /** 32 hex digits. */
  traceId: string;
  runId: string;
  /** Parents before children, siblings by start. */
  spans: Span[];
  /** Whether spans are left out. */
  truncated: boolean;
}
