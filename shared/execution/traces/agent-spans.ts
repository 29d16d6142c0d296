import { callPath } from '../agent-loop/call-span.ts';
import type { EndFact, Fact, FactOf, RequestedCall, TurnFact } from '../agent-loop/facts.ts';
import type { LogEntry } from '../agent-runs/log/run-log.ts';
import { attemptSpans, intoAttempts } from './attempt-spans.ts';
import { modelAttributes, toolAttributes } from './attributes.ts';
import type { ContentReader } from './content.ts';
import { genAiMessages } from './messages.ts';
import { noteSpans } from './note-spans.ts';
import type { SpanNode } from './span-node.ts';

interface RunOfAgent {
  id: string;
  /** ISO 8601. */
  startedAt: string;
  completedAt: string | null;
  background: boolean;
}

interface Calls {
  results: ReadonlyMap<string, FactOf<'result'>>;
  decisions: ReadonlyMap<string, FactOf<'decision'>>;
  pauses: ReadonlyMap<string, { kind: 'approval' | 'output'; at: number }>;
}

interface World extends Calls {
  runId: string;
  /** Unix milliseconds. */
  began: number;
  ended: number | null;
  content: ContentReader | undefined;
}

/** The spans inside of a run of an agent: its turns, with the calls of models and tools, and what it waited for. */
export function agentSpans(run: RunOfAgent, log: readonly LogEntry[], content?: ContentReader): SpanNode[] {
  const facts = log.map(({ fact }) => fact);
  const ended = run.completedAt === null ? null : Date.parse(run.completedAt);
  const world = { runId: run.id, began: Date.parse(run.startedAt), ended, content, ...callsIn(facts) };
  return [
    ...queueSpan(run, facts[0], world),
    ...log.flatMap(({ n, fact }) => {
      if (fact.type === 'turn') return [turnSpan(fact, world)];
      if (fact.type === 'end') return failedTurn(fact, facts, world);
      if (fact.type !== 'context' && fact.type !== 'compaction') return [];
      return noteSpans(fact.notes ?? [], { runId: run.id, path: `fact/${n}`, since: world.began });
    }),
  ];
}

const callsIn = (facts: readonly Fact[]): Calls => ({
  results: new Map(facts.flatMap((fact) => (fact.type === 'result' ? [[fact.callId, fact]] : []))),
  decisions: new Map(facts.flatMap((fact) => (fact.type === 'decision' ? [[fact.callId, fact]] : []))),
  pauses: new Map(
    facts.flatMap((fact) =>
      fact.type === 'pause'
        ? fact.waits.map(({ callId, kind }) => [callId, { kind, at: Date.parse(fact.at) }] as const)
        : [],
    ),
  ),
});

/** Until a worker has a run in the background. */
function queueSpan({ background }: RunOfAgent, first: Fact | undefined, world: World): SpanNode[] {
  const { runId, began, ended } = world;
  if (!background) return [];
  const end = first ? startOf(first, began) : ended;
  return [waitSpan(runId, 'wait/queue', 'wait for a worker', began, end)];
}

function startOf(fact: Fact, began: number): number {
  const at = Date.parse(fact.at);
  if (fact.type === 'turn') return at - fact.durationMs;
  const notes = 'notes' in fact ? (fact.notes ?? []) : [];
  return Math.min(at, ...notes.map((note) => began + note.at));
}

const waitSpan = (
  runId: string,
  path: string,
  name: string,
  start: number,
  end: number | null,
): SpanNode => ({
  runId,
  path,
  name,
  kind: 'wait',
  status: end === null ? 'waiting' : 'ok',
  start,
  end: end === null ? null : Math.max(start, end),
  attributes: {},
  children: [],
});

function turnSpan(fact: TurnFact, world: World): SpanNode {
  const { runId, ended } = world;
  const responded = Date.parse(fact.at);
  const path = `turn/${fact.turn}`;
  const calls = fact.calls.flatMap((call) => callSpans(call, responded, world));
  const isOpen = calls.some(({ end }) => end === null) && ended === null;
  const isWaiting = calls.some(({ status }) => status === 'waiting');
  return {
    runId,
    path,
    name: `turn ${fact.turn}`,
    kind: 'turn',
    status: isWaiting ? 'waiting' : isOpen ? 'running' : 'ok',
    start: responded - fact.durationMs,
    end: isOpen ? null : Math.max(responded, ...calls.map(({ end }) => end ?? responded)),
    attributes: { 'agent.turn': fact.turn },
    children: [...modelSpans(fact, path, world), ...calls],
  };
}

/** The turn in which the model failed, or the run was ended. */
function failedTurn(
  { at, attempts = [], notes = [] }: EndFact,
  facts: readonly Fact[],
  world: World,
): SpanNode[] {
  const { runId, began } = world;
  const end = Date.parse(at);
  const turn = facts.filter(({ type }) => type === 'turn').length + 1;
  const path = `turn/${turn}`;
  const children = intoAttempts(
    attemptSpans(attempts, { runId, path, end }),
    noteSpans(notes, { runId, path: `${path}/model`, since: began }),
  );
  if (children.length === 0) return [];
  return [
    {
      runId,
      path,
      name: `turn ${turn}`,
      kind: 'turn',
      status: 'error',
      start: Math.min(...children.map(({ start }) => start)),
      end,
      attributes: { 'agent.turn': turn, 'error.type': 'turn_failed' },
      children,
    },
  ];
}

function modelSpans(fact: TurnFact, turnPath: string, { runId, began, content }: World): SpanNode[] {
  const end = Date.parse(fact.at);
  const said = content?.taken('gen_ai.output.messages', genAiMessages([fact.message]));
  if (fact.attempts || fact.notes) {
    const attempts = attemptSpans(fact.attempts ?? [], { runId, path: turnPath, end });
    const notes = noteSpans(fact.notes ?? [], { runId, path: `${turnPath}/model`, since: began });
    Object.assign(notes.at(-1)?.attributes ?? {}, said);
    return intoAttempts(attempts, notes);
  }
  const { modelUsed: model, usage, stopReason, firstMs, spent } = fact;
  return [
    {
      runId,
      path: `${turnPath}/model`,
      name: `chat ${model.slice(model.indexOf('/') + 1)}`,
      kind: 'model',
      status: 'ok',
      start: end - fact.durationMs,
      end,
      attributes: {
        ...modelAttributes({
          model,
          inputTokens: usage?.inputTokens,
          outputTokens: usage?.outputTokens,
          cachedInputTokens: usage?.cacheReadTokens,
          reasoningTokens: usage?.reasoningTokens,
          cost: spent.cost,
          stopReason,
          firstMs,
        }),
        ...said,
      },
      children: [],
    },
  ];
}

/** A call, after its approval. Where the caller executes the tool, the call is the wait. */
function callSpans(call: RequestedCall, requestedAt: number, world: World): SpanNode[] {
  const { runId, results, decisions, pauses, ended } = world;
  const result = results.get(call.id);
  const decision = decisions.get(call.id);
  const pause = pauses.get(call.id);
  const doneAt = result ? Date.parse(result.at) : ended;
  const approval =
    pause?.kind === 'approval'
      ? [
          waitSpan(
            runId,
            `wait/${call.id}`,
            'wait for approval',
            pause.at,
            decision ? Date.parse(decision.at) : doneAt,
          ),
        ]
      : [];
  // A call that nobody has allowed yet has not begun.
  if (pause?.kind === 'approval' && !decision && !result) return approval;
  const isOutput = pause?.kind === 'output';
  const start = isOutput
    ? pause.at
    : result
      ? Date.parse(result.at) - result.durationMs
      : decision
        ? Date.parse(decision.at)
        : requestedAt;
  const inside = isOutput
    ? [waitSpan(runId, `wait/${call.id}`, 'wait for the caller', start, doneAt)]
    : noteSpans(result?.notes ?? [], { runId, path: callPath(call.id), since: start });
  return [...approval, toolSpan(call, { start, end: doneAt, isOutput, inside, result }, world)];
}

interface Called {
  start: number;
  end: number | null;
  isOutput: boolean;
  inside: SpanNode[];
  result: FactOf<'result'> | undefined;
}

function toolSpan(
  call: RequestedCall,
  { start, end, isOutput, inside, result }: Called,
  { runId, content }: World,
): SpanNode {
  const failed = end !== null && (!result || result.failed);
  return {
    runId,
    path: callPath(call.id),
    name: `execute_tool ${call.name}`,
    kind: 'tool',
    status: end === null ? (isOutput ? 'waiting' : 'running') : failed ? 'error' : 'ok',
    start,
    end: end === null ? null : Math.max(start, end),
    attributes: {
      ...toolAttributes({ name: call.name, id: call.id, type: call.toolType }),
      ...(failed && { 'error.type': call.refused === undefined ? 'tool_failed' : 'call_refused' }),
      ...content?.taken('gen_ai.tool.call.arguments', call.input),
      ...(result && content?.taken('gen_ai.tool.call.result', result.output)),
    },
    children: inside,
  };
}
