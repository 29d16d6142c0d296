/**
 * The nodes of a trace: makes them from runs, attempts and notes, with the attribute names of OpenTelemetry, and
 * flattens the tree into spans.
 * `run-trace.ts`, `agent-trace.ts` and `step-spans.ts` build the tree; `flattenSpans` then corrects times (a span lies
 * within its parent, except a wait) and leaves out the deepest spans of a trace that is too large. Ids are computed
 * from the run and the path (`core/trace-context.ts`).
 * Texts of warnings and messages are content and present only if the trace is read with content. Pure.
 */

import { type Note, noteKinds } from '../../core/note.ts';
import { runSpanId } from '../../core/trace-context.ts';
import type { Warning } from '../../core/warnings.ts';
import type { Attempt } from '../../domain/flows/steps/attempt.ts';
import type { Span, SpanKind, SpanStatus } from '../../domain/runs/trace.ts';
import type { AgentExecution } from '../agent-runs/agent-execution.ts';
import { toGenAiReason } from './messages.ts';

/** A span before it has its ids. */
export interface SpanNode {
  runId: string;
  /** Its place in the run; empty for the run itself. */
  path: string;
  name: string;
  kind: SpanKind;
  status: SpanStatus;
  /** These two in Unix milliseconds. */
  start: number;
  end: number | null;
  attributes: Record<string, unknown>;
  warnings?: readonly SpanWarning[] | undefined;
  children: SpanNode[];
}

/** The words of a warning are content, as those of errors are. */
export type SpanWarning = Pick<Warning, 'code' | 'count'> & Partial<Pick<Warning, 'message'>>;

export const toSpanWarnings = (
  warnings: readonly Warning[] | undefined,
  hasContent: boolean,
): { warnings?: readonly SpanWarning[] } =>
  warnings
    ? {
        warnings: warnings.map(({ code, count, message }) => ({
          code,
          count,
          ...(hasContent && { message }),
        })),
      }
    : {};

export const spansMax = 5_000;

/**
 * Parents before children, siblings by start. What is deepest is left out first.
 * @param parentSpanId Of the span outside of the trace in which the run was started.
 */
export function flattenSpans(root: SpanNode, parentSpanId: string | null, max = spansMax) {
  const shown = takeShallowest(root, max);
  const spans: Span[] = [];
  const add = (node: SpanNode, parent: string | null): void => {
    if (!shown.has(node)) return;
    const span = toSpan(node, parent);
    spans.push(span);
    for (const child of node.children) add(child, span.spanId);
  };
  clamp(root);
  add(root, parentSpanId);
  return { spans, truncated: countSpans(root) > spans.length };
}

function takeShallowest(root: SpanNode, max: number): Set<SpanNode> {
  const shown = new Set<SpanNode>();
  for (let level = [root]; level.length > 0; level = level.flatMap(({ children }) => children)) {
    for (const node of level) if (shown.size < max) shown.add(node);
  }
  return shown;
}

const countSpans = ({ children }: SpanNode): number =>
  children.reduce((count, child) => count + countSpans(child), 1);

/** By how much a start may be off: it is often the end without the duration, both rounded. */
const startErrorMs = 2;

/**
 * Clocks and rounding differ by milliseconds: a span lies within its parent, except a wait, and what began together stays in
 * its order.
 */
function clamp(parent: SpanNode): void {
  let latest = Number.NEGATIVE_INFINITY;
  for (const child of parent.children) {
    if (child.kind !== 'wait') {
      const start = isWithin(parent, child.start);
      child.start = latest - start <= startErrorMs ? Math.max(start, latest) : start;
      latest = child.start;
      if (child.end !== null) child.end = Math.max(child.start, isWithin(parent, child.end));
      else if (parent.end !== null) child.end = parent.end;
    }
    clamp(child);
  }
  parent.children.sort((one, other) => one.start - other.start);
}

const isWithin = ({ start, end }: SpanNode, at: number) =>
  Math.min(Math.max(at, start), end ?? Number.POSITIVE_INFINITY);

const toSpan = (node: SpanNode, parentSpanId: string | null): Span => {
  const { runId, path, name, kind, status, start, end, attributes, warnings = [] } = node;
  return {
    spanId: runSpanId(runId, path),
    parentSpanId,
    name,
    kind,
    status,
    startedAt: new Date(start).toISOString(),
    endedAt: end === null ? null : new Date(end).toISOString(),
    durationMs: end === null ? null : end - start,
    attributes,
    events: warnings.map(({ code, count, message }) => ({
      name: 'warning',
      at: new Date(end ?? start).toISOString(),
      attributes: {
        'warning.code': code,
        'warning.count': count,
        ...(message !== undefined && { 'warning.message': message }),
      },
    })),
  };
};

/** The nodes of a trace, parents first. */
export function* walkNodes(node: SpanNode): Generator<SpanNode, void> {
  yield node;
  for (const child of node.children) yield* walkNodes(child);
}

/** Attempts, and the pauses between them. Before 2026-11-26 their starts were not stored: then they follow each other. */
export function toAttemptSpans(
  attempts: readonly Attempt[],
  { runId, path, end }: { runId: string; path: string; end: number },
): SpanNode[] {
  const spans: SpanNode[] = [];
  let next = end - attempts.reduce((sum, { durationMs, delayMs = 0 }) => sum + durationMs + delayMs, 0);
  for (const [index, attempt] of attempts.entries()) {
    const { type, model, delayMs = 0, durationMs, status } = attempt;
    const start = attempt.startedAt ? Date.parse(attempt.startedAt) : next + delayMs;
    if (delayMs > 0) {
      const kind = { name: 'delay', kind: 'wait' as const, status: 'ok' as const, attributes: {} };
      spans.push({
        ...kind,
        runId,
        children: [],
        path: `${path}/delay/${index}`,
        start: start - delayMs,
        end: start,
      });
    }
    next = start + durationMs;
    spans.push({
      runId,
      children: [],
      path: `${path}/attempt/${index}`,
      name: `attempt ${index + 1}`,
      kind: 'attempt',
      status: status === 'completed' ? 'ok' : 'error',
      start,
      end: next,
      attributes: {
        'attempt.type': type,
        ...(model && { 'gen_ai.request.model': model }),
        ...(status !== 'completed' && {
          'error.type': status === 'empty' ? 'empty_output' : 'attempt_failed',
        }),
      },
    });
  }
  return spans;
}

/** What happened during an attempt is inside of it. */
export function moveIntoAttempts(attempts: readonly SpanNode[], notes: readonly SpanNode[]): SpanNode[] {
  const outside = notes.filter((note) => {
    const attempt = attempts.findLast(({ kind, start }) => kind === 'attempt' && start <= note.start);
    attempt?.children.push(note);
    return !attempt;
  });
  return [...attempts, ...outside];
}

const noteStatuses = { e: 'error', s: 'skipped' } as const satisfies Record<string, SpanStatus>;

/** The spans of notes. @param since Unix milliseconds from which they count. */
export const toNoteSpans = (
  notes: readonly Note[],
  { runId, path, since }: { runId: string; path: string; since: number },
): SpanNode[] =>
  notes.map((note, index) => {
    const { k, at, ms, st, in: inside = [] } = note;
    const notePath = `${path}/${index}`;
    return {
      runId,
      path: notePath,
      name: toName(note),
      kind: noteKinds[k],
      status: st ? noteStatuses[st] : 'ok',
      start: since + at,
      end: since + at + ms,
      attributes: { ...toAttributes(note), ...(st === 'e' && { 'error.type': `${noteKinds[k]}_failed` }) },
      children: toNoteSpans(inside, { runId, path: notePath, since }),
    };
  });

function toName({ k, n = '', ty }: Note): string {
  if (k === 'm') return `${ty ?? 'chat'} ${n.slice(n.indexOf('/') + 1)}`.trim();
  if (k === 't') return `execute_tool ${n}`;
  if (k === 'w') return 'wait for caller';
  return k === 'a' ? 'invoke_agent' : n;
}

function toAttributes({ k, n = '', id, x, ty, st, u = [], c, r = 'stop', f }: Note): Record<string, unknown> {
  const [inputTokens, outputTokens, cachedInputTokens, reasoningTokens] = u;
  switch (k) {
    case 'm': {
      const operation = ty === 'embeddings' ? ty : 'chat';
      const ofChat = { outputTokens, cachedInputTokens, reasoningTokens };
      const usage = { inputTokens, ...(operation === 'chat' && ofChat) };
      const failed = st === 'e';
      const stopReason = operation === 'chat' && !failed ? r : undefined;
      return toModelAttributes({ model: n, operation, ...usage, cost: c, stopReason, failed, firstMs: f });
    }
    case 't':
      return toToolAttributes({ name: n, id, type: ty });
    case 'f':
      return omitEmpty({ 'flow.id': id, 'run.id': x });
    case 's':
      return toStepAttributes(id, ty);
    case 'a':
      return omitEmpty({ 'gen_ai.operation.name': 'invoke_agent', 'run.id': id });
    case 'w':
      return {};
  }
}

const statuses: Record<string, SpanStatus> = {
  running: 'running',
  scheduled: 'waiting',
  paused: 'waiting',
  completed: 'ok',
  success: 'ok',
  failed: 'error',
  cancelled: 'error',
};

export interface RunToTrace {
  id: string;
  name: string;
  kind: 'batch' | 'flow' | 'agent' | 'tool';
  status: string;
  startedAt: string;
  completedAt?: string | null | undefined;
  stopReason?: string | null | undefined;
  totalCost?: string | null | undefined;
}

/** The first span of a run. */
export function toRunSpan(
  run: RunToTrace,
  attributes: Record<string, unknown>,
  children: SpanNode[],
): SpanNode {
  const { id, name, kind, status, startedAt, completedAt, stopReason, totalCost } = run;
  const shown = statuses[status] ?? 'running';
  return {
    runId: id,
    path: '',
    name,
    kind: 'run',
    status: shown,
    start: Date.parse(startedAt),
    end: completedAt ? Math.max(Date.parse(startedAt), Date.parse(completedAt)) : null,
    attributes: omitEmpty({
      'run.id': id,
      'run.kind': kind,
      'run.stop_reason': stopReason ?? undefined,
      'run.cost_usd': totalCost ?? undefined,
      ...attributes,
      'error.type': shown === 'error' ? (status === 'cancelled' ? 'cancelled' : 'run_failed') : undefined,
    }),
    children,
  };
}

export function toAgentSpan(execution: AgentExecution, children: SpanNode[]): SpanNode {
  const { id, agentId, agentName: name, inputTokens, outputTokens } = execution;
  const span = toRunSpan({ ...execution, name, kind: 'agent' }, {}, children);
  return {
    ...span,
    attributes: {
      ...span.attributes,
      ...omitEmpty({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': agentId ?? undefined,
        'gen_ai.agent.name': name,
        'gen_ai.usage.input_tokens': inputTokens ?? undefined,
        'gen_ai.usage.output_tokens': outputTokens ?? undefined,
        'run.id': id,
      }),
    },
  };
}

type Attributes = Record<string, unknown>;

/** The names of OpenTelemetry for providers that it calls by another name. */
const providerNames: Record<string, string> = {
  google: 'gcp.gemini',
  bedrock: 'aws.bedrock',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

export interface ModelUseOfSpan {
  /** `<provider>/<modelId>`, or the name that was asked for. */
  model: string | undefined;
  operation?: 'chat' | 'embeddings';
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  cachedInputTokens?: number | undefined;
  reasoningTokens?: number | undefined;
  /** USD as decimal text. */
  cost?: string | null | undefined;
  /** Undefined for a call that failed. */
  stopReason?: string | undefined;
  failed?: boolean;
  firstMs?: number | undefined;
}

/** @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ */
export function toModelAttributes(use: ModelUseOfSpan): Attributes {
  const { model = '', operation = 'chat', cost, firstMs, stopReason, failed = false } = use;
  const slash = model.indexOf('/');
  const provider = slash < 0 ? undefined : model.slice(0, slash);
  const name = model.slice(slash + 1) || undefined;
  return omitEmpty({
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider && (providerNames[provider] ?? provider),
    'gen_ai.request.model': name,
    'gen_ai.response.model': failed ? undefined : name,
    'gen_ai.response.finish_reasons': stopReason && [toGenAiReason(stopReason)],
    'gen_ai.response.time_to_first_chunk': firstMs === undefined ? undefined : firstMs / 1_000,
    'gen_ai.usage.input_tokens': use.inputTokens,
    'gen_ai.usage.output_tokens': use.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': use.cachedInputTokens || undefined,
    'gen_ai.usage.reasoning.output_tokens': use.reasoningTokens || undefined,
    'run.cost_usd': cost ?? undefined,
  });
}

export const toToolAttributes = (tool: {
  name: string;
  id?: string | undefined;
  type?: string | undefined;
}) =>
  omitEmpty({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool.name,
    'gen_ai.tool.call.id': tool.id,
    'gen_ai.tool.type': tool.type,
  });

export const toStepAttributes = (id: string | undefined, type: string | undefined) =>
  omitEmpty({ 'flow.step.id': id, 'flow.step.type': type });

export const omitEmpty = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined && value !== ''));
