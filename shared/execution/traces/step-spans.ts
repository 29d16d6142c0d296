import type { Note } from '../../core/tracing/note.ts';
import type { Attempt } from '../../domain/flows/steps/attempt.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import type { Checkpoint, StoredStepResult } from '../runs/checkpoints/checkpoint.ts';
import { parseRows, type ResultRow } from '../runs/checkpoints/rows.ts';
import { modelAttributes, stepAttributes } from './attributes.ts';
import type { ContentReader } from './content.ts';
import { noteSpans } from './note-spans.ts';
import type { SpanNode } from './span-node.ts';

/** The steps of a version by their paths. */
export type StepsByPath = ReadonlyMap<string, FlowStep>;

const statuses = { completed: 'ok', failed: 'error', skipped: 'skipped' } as const;

/** The spans of the results of a run, and of the step in which it waits. */
export async function stepSpans(
  checkpoints: readonly Checkpoint[],
  steps: StepsByPath,
  content?: ContentReader,
): Promise<SpanNode[]> {
  const spans: SpanNode[] = [];
  for (const checkpoint of checkpoints) {
    const rows = parseRows(checkpoint);
    for (const [place, result] of checkpoint.results.entries()) {
      const row = rows[place];
      if (!row) continue;
      const span = stepSpan(checkpoint.runId, result, row, steps.get(result.path));
      if (content) Object.assign(span.attributes, await contentOf(result, content));
      spans.push(span);
    }
  }
  const last = checkpoints.at(-1);
  if (last?.waiting && !last.end) spans.push(waitingSpan(last.runId, last.waiting, steps));
  return spans;
}

function stepSpan(
  runId: string,
  result: StoredStepResult,
  [stepId, status, startedAt, durationMs]: ResultRow,
  step: FlowStep | undefined,
): SpanNode {
  const path = `step/${result.path}`;
  const end = startedAt + durationMs;
  const attempts = attemptSpans(result.attempts ?? [], { runId, path, end });
  const notes = noteSpans(notesOf(result), { runId, path, since: startedAt });
  const isWait = step?.type === 'wait-until' && status === 'completed';
  const wait = { name: 'wait', kind: 'wait' as const, status: 'ok' as const, attributes: {}, children: [] };
  return {
    runId,
    path,
    name: step?.name ?? stepId,
    kind: 'step',
    status: statuses[status],
    // The attempts of a record that was run again lie before the last start.
    start: Math.min(startedAt, ...attempts.map(({ start }) => start)),
    end,
    attributes: {
      ...stepAttributes(stepId, step?.type),
      ...(result.modelUsed !== undefined && usageOf(result)),
      ...(status === 'failed' && { 'error.type': 'step_failed' }),
    },
    children: [
      ...intoAttempts(attempts, notes),
      ...(isWait ? [{ ...wait, runId, path: `${path}/wait`, start: startedAt, end }] : []),
    ],
  };
}

const usageOf = ({
  modelUsed: model,
  promptTokens,
  completionTokens,
  estimatedCost: cost,
}: StoredStepResult) =>
  modelAttributes({ model, inputTokens: promptTokens, outputTokens: completionTokens, cost });

/** With what the result says about its only model call. */
function notesOf(result: StoredStepResult): readonly Note[] {
  const { notes = [], modelUsed, promptTokens = 0, completionTokens = 0, estimatedCost } = result;
  const [only] = notes;
  if (!only || notes.length > 1 || only.k !== 'm' || only.n !== undefined || !modelUsed) return notes;
  const u = [promptTokens, completionTokens, ...(only.u?.slice(2) ?? [])];
  return [{ ...only, n: modelUsed, u, ...(estimatedCost && { c: estimatedCost }) }];
}

/** Attempts, and the pauses between them. Before 2026-11-26 their starts were not stored: then they follow each other. */
export function attemptSpans(
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
export function intoAttempts(attempts: readonly SpanNode[], notes: readonly SpanNode[]): SpanNode[] {
  const outside = notes.filter((note) => {
    const attempt = attempts.findLast(({ kind, start }) => kind === 'attempt' && start <= note.start);
    attempt?.children.push(note);
    return !attempt;
  });
  return [...attempts, ...outside];
}

function waitingSpan(
  runId: string,
  { path: at, since }: { path: string; since: string },
  steps: StepsByPath,
): SpanNode {
  const step = steps.get(at);
  const path = `step/${at}`;
  const common = { runId, status: 'waiting' as const, start: Date.parse(since), end: null };
  const wait = { ...common, path: `${path}/wait`, name: 'wait', kind: 'wait' as const };
  return {
    ...common,
    path,
    name: step?.name ?? at,
    kind: 'step',
    attributes: stepAttributes(step?.id, step?.type),
    children: [{ ...wait, attributes: {}, children: [] }],
  };
}

async function contentOf({ output, resolvedPrompt, error }: StoredStepResult, content: ContentReader) {
  return {
    ...(await content.fetched('gen_ai.input.messages', resolvedPrompt)),
    ...(await content.fetched(resolvedPrompt ? 'gen_ai.output.messages' : 'flow.step.output', output)),
    ...(error !== undefined && content.taken('error.message', error)),
  };
}
