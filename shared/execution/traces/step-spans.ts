/**
 * The spans of a flow's steps, from the results in its checkpoints.
 * A result is a span, its notes are the children. A step in which the run waits has an open span, and so has a step
 * that holds others and has no result yet.
 * Paths give the tree: `2.true.0` is in the span of step `2`, which lasts as long as what is in it. Prompts and outputs
 * are added on demand, to the model call that they belong to; results from before 2026-11-26 have no notes, and their
 * usage is on the step.
 * `run-trace.ts` is the caller.
 */
import type { Note } from '../../core/note.ts';
import {
  definitionPath,
  findShownPlace,
  holderPath,
  listsAround,
} from '../../domain/flows/steps/run-path.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import {
  type Checkpoint,
  getCheckpointWaits,
  parseRows,
  type ResultRow,
  type StoredStepResult,
} from '../runs/checkpoint.ts';
import { type ContentReader, toGenAiAnswer, toGenAiMessage } from './messages.ts';
import {
  moveIntoAttempts,
  omitEmpty,
  type SpanNode,
  toAttemptSpans,
  toModelAttributes,
  toNoteSpans,
  toSpanWarnings,
  toStepAttributes,
  walkNodes,
} from './span-node.ts';

const statuses = { completed: 'ok', failed: 'error', skipped: 'skipped' } as const;

/** The spans of the results of a run, those of a branch inside of its step, and of the step in which it waits. */
export async function toStepSpans(
  checkpoints: readonly Checkpoint[],
  steps: StepsByPath,
  content?: ContentReader,
): Promise<SpanNode[]> {
  const spans = new Map<string, SpanNode>();
  for (const checkpoint of checkpoints) {
    const rows = parseRows(checkpoint);
    for (const [place, result] of checkpoint.results.entries()) {
      const row = rows[place];
      if (!row) continue;
      const span = toStepSpan(checkpoint.runId, result, row, steps.get(definitionPath(result.path)));
      Object.assign(span, toSpanWarnings(result.warnings, content !== undefined));
      Object.assign(span.attributes, placeAttributes(steps, result.path));
      if (content) await addContent(span, result, content);
      spans.set(result.path, span);
    }
  }
  const last = checkpoints.at(-1);
  const suspended = checkpoints.findLast(({ waiting }) => waiting);
  for (const wait of suspended && last ? getCheckpointWaits(suspended) : []) {
    if (last && !spans.has(wait.path)) spans.set(wait.path, toWaitingSpan(last, wait, steps));
  }
  if (last) addHolders(last, spans, steps);
  return toBranchSpans(spans);
}

function toStepSpan(
  runId: string,
  result: StoredStepResult,
  [stepId, status, startedAt, durationMs]: ResultRow,
  step: FlowStep | undefined,
): SpanNode {
  const path = `step/${result.path}`;
  const end = startedAt + durationMs;
  const attempts = toAttemptSpans(result.attempts ?? [], { runId, path, end });
  const notes = toNoteSpans(getNotes(result), { runId, path, since: startedAt });
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
      ...toStepAttributes(stepId, step?.type),
      ...(notes.length > 0
        ? omitEmpty({ 'run.cost_usd': result.estimatedCost ?? undefined })
        : toUsage(result)),
      ...(status === 'failed' && { 'error.type': 'step_failed' }),
    },
    children: [
      ...moveIntoAttempts(attempts, notes),
      ...(isWait ? [{ ...wait, runId, path: `${path}/wait`, start: startedAt, end }] : []),
    ],
  };
}

/** Of a result without notes, as they were stored before 2026-11-26. The spans of model calls say it otherwise. */
const toUsage = ({
  modelUsed: model,
  promptTokens,
  completionTokens,
  estimatedCost: cost,
}: StoredStepResult) =>
  model === undefined
    ? {}
    : toModelAttributes({ model, inputTokens: promptTokens, outputTokens: completionTokens, cost });

/** With what the result says about its only model call. */
function getNotes(result: StoredStepResult): readonly Note[] {
  const { notes = [], modelUsed, promptTokens = 0, completionTokens = 0, estimatedCost } = result;
  const [only] = notes;
  if (!only || notes.length > 1 || only.k !== 'm' || only.n !== undefined || !modelUsed) return notes;
  const u = [promptTokens, completionTokens, ...(only.u?.slice(2) ?? [])];
  return [{ ...only, n: modelUsed, u, ...(estimatedCost && { c: estimatedCost }) }];
}

/** A step in which the run waits, or was ended. */
function toWaitingSpan(
  { runId, end }: Checkpoint,
  { path: at, since }: { path: string; since: string },
  steps: StepsByPath,
): SpanNode {
  const step = steps.get(definitionPath(at));
  const path = `step/${at}`;
  const common = { runId, start: Date.parse(since), end: end ? Date.parse(end.at) : null };
  const wait = { ...common, path: `${path}/wait`, name: 'wait', kind: 'wait' as const };
  return {
    ...common,
    path,
    name: step?.name ?? at,
    kind: 'step',
    status: end ? 'error' : 'waiting',
    attributes: {
      ...toStepAttributes(step?.id, step?.type),
      ...placeAttributes(steps, at),
      ...(end && { 'error.type': 'step_failed' }),
    },
    children: [{ ...wait, status: end ? 'ok' : 'waiting', attributes: {}, children: [] }],
  };
}

/** A prompt and its output belong to the call of the model that answered, if there was one. */
async function addContent(
  span: SpanNode,
  { output, resolvedPrompt, error }: StoredStepResult,
  content: ContentReader,
): Promise<void> {
  const call = [...walkNodes(span)].findLast(({ kind }) => kind === 'model') ?? span;
  if (resolvedPrompt) {
    const [reason] = (call.attributes['gen_ai.response.finish_reasons'] ?? []) as string[];
    const toAskedMessages = (prompt: unknown) => [toGenAiMessage('user', prompt)];
    const toSaidAnswer = (answer: unknown) => toGenAiAnswer(answer, reason);
    Object.assign(
      call.attributes,
      await content.fetchValueAs('gen_ai.input.messages', resolvedPrompt, toAskedMessages),
    );
    Object.assign(
      call.attributes,
      await content.fetchValueAs('gen_ai.output.messages', output, toSaidAnswer),
    );
  } else Object.assign(span.attributes, await content.fetchValue('flow.step.output', output));
  if (error !== undefined) Object.assign(span.attributes, content.takeValue('error.message', error));
}

/**
 * The spans of the steps on the highest level. Those of a branch are in the span of the step that chose it, which lasts as
 * long as they do. @param spans By their paths: `2`, or `2.true.0` in a branch.
 */
function toBranchSpans(spans: ReadonlyMap<string, SpanNode>): SpanNode[] {
  const highest: SpanNode[] = [];
  // From the end, so that a branch has its end before the step around it takes it over.
  for (const [path, span] of [...spans].reverse()) {
    const around = spans.get(path.split('.').slice(0, -2).join('.'));
    if (around) takeIn(around, span);
    else highest.unshift(span);
  }
  return highest;
}

function takeIn(around: SpanNode, span: SpanNode): void {
  around.children.unshift(span);
  if (span.end === null || around.end === null) around.end = null;
  else around.end = Math.max(around.end, span.end);
  if (span.status === 'waiting') around.status = 'waiting';
}

/** Adds the steps that hold others and have no result yet: they have one when these have ended. */
function addHolders({ runId, end }: Checkpoint, spans: Map<string, SpanNode>, steps: StepsByPath): void {
  const inside = [...spans];
  const missing = new Set(inside.flatMap(([path]) => listsAround(path).map(holderPath)));
  for (const at of missing) {
    if (spans.has(at)) continue;
    const held = inside.flatMap(([path, span]) => (path.startsWith(`${at}.`) ? [span] : []));
    const step = steps.get(definitionPath(at));
    spans.set(at, {
      runId,
      path: `step/${at}`,
      name: step?.name ?? at,
      kind: 'step',
      status: end ? 'error' : held.some(({ status }) => status === 'waiting') ? 'waiting' : 'running',
      start: Math.min(...held.map(({ start }) => start)),
      end: end ? Date.parse(end.at) : null,
      attributes: {
        ...toStepAttributes(step?.id, step?.type),
        ...placeAttributes(steps, at),
        ...(end && { 'error.type': 'step_failed' }),
      },
      children: [],
    });
  }
}

/** The steps of a version by their paths. */
export type StepsByPath = ReadonlyMap<string, FlowStep>;

/** The path of a step inside of another one, as people read it. */
const placeAttributes = (steps: StepsByPath, path: string) =>
  path.includes('.')
    ? { 'flow.step.path': findShownPlace((at) => steps.get(definitionPath(at)), path).stepPath }
    : {};
