/**
 * The spans of an agent's run, from the facts of its log.
 * Facts give the times: a turn spans its model calls (from its notes), a call of a tool what happened in it, a pause the
 * wait. A turn that failed is made of the notes of the end. Agents inside of others are found by their executions and
 * put under the call that ran them.
 * Content (messages, arguments, results) is added only on demand, while the trace has room.
 */

import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { readContext, runSpanId } from '../../core/trace-context.ts';
import type { Message } from '../../domain/conversations/message.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { EndFact, Fact, FactOf, LoopWait, RequestedCall, TurnFact } from '../agent-loop/facts.ts';
import { callPath } from '../agent-loop/tool-calls.ts';
import {
  type AgentExecution,
  agentExecutionEntity,
  childrenPartition,
} from '../agent-runs/agent-execution.ts';
import type { RunInput } from '../agent-runs/agent-input.ts';
import { type LogEntry, runLogReader } from '../agent-runs/run-log.ts';
import { type ContentReader, toGenAiAnswer, toGenAiMessages, toGenAiText } from './messages.ts';
import {
  moveIntoAttempts,
  type SpanNode,
  toAgentSpan,
  toAttemptSpans,
  toModelAttributes,
  toNoteSpans,
  toSpanWarnings,
  toToolAttributes,
  walkNodes,
} from './span-node.ts';

/** So many executions of agents are read for a trace; the spans inside of further ones are left out. */
export const tracedAgentsMax = 100;
const readAtOnce = 5;

export interface AgentReader {
  scope: Scope;
  content: ContentReader | undefined;
  /** How many executions may still be read. */
  room: { left: number };
  isTruncated: boolean;
}

/** The span of an execution with all inside of it: agents too, to any depth. */
export async function traceAgent(reader: AgentReader, execution: AgentExecution): Promise<SpanNode> {
  const { scope, content } = reader;
  const [log, children, input] = await Promise.all([
    runLogReader(scope).read(execution.id),
    readChildRuns(reader, execution.id),
    content && readInput(scope, execution),
  ]);
  const ownContent = content && toContentAttributes(execution, input ?? {}, content);
  const span = toAgentSpan(execution, toAgentSpans(execution, log, content, input?.messages));
  Object.assign(span.attributes, ownContent);
  await addAgents(reader, span, children);
  return span;
}

async function readInput(scope: Scope, { input, isLogged }: AgentExecution): Promise<Partial<RunInput>> {
  if (!isLogged) return {};
  return ((await payloadReader(scope).fetchReadable(input)) ?? {}) as Partial<RunInput>;
}

function toContentAttributes(
  { error, isLogged }: AgentExecution,
  input: Partial<RunInput>,
  content: ContentReader,
) {
  if (!isLogged) return {};
  const { messages, system } = input;
  return {
    ...(messages && content.takeValue('gen_ai.input.messages', toGenAiMessages(messages))),
    ...(system && content.takeValue('gen_ai.system_instructions', [toGenAiText(system)])),
    ...(error !== null && content.takeValue('error.message', error)),
  };
}

/** Those that run inside of a run, by its index. */
export async function readChildRuns(reader: AgentReader, runId: string): Promise<AgentExecution[]> {
  const { scope, room } = reader;
  if (room.left === 0) return [];
  const children = { partition: childrenPartition(runId), index: 2 } as const;
  const { items, isCut } = await scope.table.first(room.left, children);
  if (isCut) reader.isTruncated = true;
  return readExecutions(
    reader,
    items.map(({ SK2 }) => String(SK2)),
  );
}

export async function readExecutions(reader: AgentReader, ids: readonly string[]): Promise<AgentExecution[]> {
  const { scope, room } = reader;
  const some = ids.slice(0, room.left);
  if (some.length < ids.length) reader.isTruncated = true;
  room.left -= some.length;
  const items = await scope.table.getMany(
    some.map((id) => agentExecutionEntity.key({ id })),
    {
      consistent: true,
    },
  );
  return decodeReadable(agentExecutionEntity, items);
}

/** Puts the executions where they were started: in place of the note of the call, or in the span that started them. */
export async function addAgents(
  reader: AgentReader,
  root: SpanNode,
  executions: readonly AgentExecution[],
): Promise<void> {
  const nodes = [...walkNodes(root)];
  const bySpanId = new Map(nodes.map((node) => [runSpanId(node.runId, node.path), node]));
  const notes = new Map(
    nodes.flatMap((node) => (node.kind === 'agent' ? [[node.attributes['run.id'], node]] : [])),
  );
  const read = async (execution: AgentExecution) => [execution, await traceAgent(reader, execution)] as const;
  for await (const [execution, span] of mapConcurrently(executions, readAtOnce, read)) {
    const inside: SpanNode = { ...span, kind: 'agent', name: `invoke_agent ${span.name}` };
    const note = notes.get(execution.id);
    if (note) Object.assign(note, inside);
    else findParent(execution, root, bySpanId).children.push(inside);
  }
}

function findParent(
  { startedIn, parentToolCallId }: AgentExecution,
  root: SpanNode,
  bySpanId: ReadonlyMap<string, SpanNode>,
): SpanNode {
  const call = parentToolCallId && bySpanId.get(runSpanId(root.runId, callPath(parentToolCallId)));
  return bySpanId.get(readContext(startedIn)?.spanId ?? '') ?? (call || root);
}

interface RunOfAgent {
  id: string;
  /** ISO 8601. */
  startedAt: string;
  completedAt: string | null;
  background: boolean;
}

/** The spans inside of a run of an agent: its turns, with the calls of models and tools, and what it waited for. */
export function toAgentSpans(
  run: RunOfAgent,
  log: readonly LogEntry[],
  content?: ContentReader,
  messages: readonly Message[] = [],
): SpanNode[] {
  const facts = log.map(({ fact }) => fact);
  const ended = run.completedAt === null ? null : Date.parse(run.completedAt);
  const world = { runId: run.id, began: Date.parse(run.startedAt), ended, content, ...collectCalls(facts) };
  let heard: object[] | undefined = toGenAiMessages(messages);
  return [
    ...toQueueSpan(run, facts[0], world),
    ...log.flatMap(({ n, fact }) => {
      if (fact.type === 'turn') {
        const span = toTurnSpan(fact, world, heard);
        heard = toGenAiResults(fact.calls, world);
        return [span];
      }
      if (fact.type === 'end') return toFailedTurnSpan(fact, facts, world);
      if (fact.type !== 'context' && fact.type !== 'compaction') return [];
      return toNoteSpans(fact.notes ?? [], { runId: run.id, path: `fact/${n}`, since: world.began });
    }),
  ];
}

/** Each turn shows what is new since the one before: all of it each time would grow with the square of the turns (D229). */
const toGenAiResults = (calls: readonly RequestedCall[], { results }: AgentWorld) =>
  calls.flatMap(({ id, name }) => {
    const result = results.get(id);
    const part = result && { type: 'tool-result' as const, id, name, output: result.output };
    return part ? toGenAiMessages([{ role: 'tool', content: [part] }]) : [];
  });

/** Until a worker has a run in the background. */
function toQueueSpan({ background }: RunOfAgent, first: Fact | undefined, world: AgentWorld): SpanNode[] {
  const { runId, began, ended } = world;
  if (!background) return [];
  const end = first ? getStart(first, began) : ended;
  return [waitSpan(runId, 'wait/queue', 'wait for a worker', began, end)];
}

function getStart(fact: Fact, began: number): number {
  const at = Date.parse(fact.at);
  if (fact.type === 'turn') return at - fact.durationMs;
  const notes = 'notes' in fact ? (fact.notes ?? []) : [];
  return Math.min(at, ...notes.map((note) => began + note.at));
}

/** @param heard The messages that the model had not got before, as the conventions write them. */
function toTurnSpan(fact: TurnFact, world: AgentWorld, heard?: readonly object[]): SpanNode {
  const { runId, ended } = world;
  const responded = Date.parse(fact.at);
  const path = `turn/${fact.turn}`;
  const calls = fact.calls.flatMap((call) => toCallSpans(call, responded, world));
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
    ...toSpanWarnings(fact.spent.warnings, world.content !== undefined),
    children: [...toModelSpans(fact, path, world, heard), ...calls],
  };
}

/** The turn in which the model failed, or the run was ended. */
function toFailedTurnSpan(
  { at, attempts = [], notes = [] }: EndFact,
  facts: readonly Fact[],
  world: AgentWorld,
): SpanNode[] {
  const { runId, began } = world;
  const end = Date.parse(at);
  const turn = facts.filter(({ type }) => type === 'turn').length + 1;
  const path = `turn/${turn}`;
  const children = moveIntoAttempts(
    toAttemptSpans(attempts, { runId, path, end }),
    toNoteSpans(notes, { runId, path: `${path}/model`, since: began }),
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

function toModelSpans(
  fact: TurnFact,
  turnPath: string,
  { runId, began, content }: AgentWorld,
  heard: readonly object[] | undefined,
): SpanNode[] {
  const end = Date.parse(fact.at);
  const said = {
    ...(heard?.length && content?.takeValue('gen_ai.input.messages', heard)),
    ...content?.takeValue('gen_ai.output.messages', toGenAiAnswer(fact.message.content, fact.stopReason)),
  };
  if (fact.attempts || fact.notes) {
    const attempts = toAttemptSpans(fact.attempts ?? [], { runId, path: turnPath, end });
    const notes = toNoteSpans(fact.notes ?? [], { runId, path: `${turnPath}/model`, since: began });
    Object.assign(notes.at(-1)?.attributes ?? {}, said);
    return moveIntoAttempts(attempts, notes);
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
        ...toModelAttributes({
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

interface Calls {
  results: ReadonlyMap<string, FactOf<'result'>>;
  decisions: ReadonlyMap<string, FactOf<'decision'>>;
  pauses: ReadonlyMap<string, { kind: LoopWait['kind']; at: number }>;
}

interface AgentWorld extends Calls {
  runId: string;
  /** Unix milliseconds. */
  began: number;
  ended: number | null;
  content: ContentReader | undefined;
}

const collectCalls = (facts: readonly Fact[]): Calls => ({
  results: new Map(facts.flatMap((fact) => (fact.type === 'result' ? [[fact.callId, fact]] : []))),
  decisions: new Map(facts.flatMap((fact) => (fact.type === 'decision' ? [[fact.callId, fact]] : []))),
  pauses: collectPauses(facts),
});

/** Without those for a run inside after which the run has gone on. */
function collectPauses(facts: readonly Fact[]): Calls['pauses'] {
  const pauses = new Map<string, { kind: LoopWait['kind']; at: number }>();
  for (const fact of facts) {
    if (fact.type === 'pause')
      for (const { callId, kind } of fact.waits) pauses.set(callId, { kind, at: Date.parse(fact.at) });
    if (fact.type === 'continue')
      for (const [callId, { kind }] of pauses) if (kind === 'inside') pauses.delete(callId);
  }
  return pauses;
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

/** A call, after its approval. Where the caller executes the tool, the call is the wait. */
function toCallSpans(call: RequestedCall, requestedAt: number, world: AgentWorld): SpanNode[] {
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
    : toNoteSpans(result?.notes ?? [], { runId, path: callPath(call.id), since: start });
  const isWaiting = isOutput || pause?.kind === 'inside';
  return [...approval, toToolSpan(call, { start, end: doneAt, isWaiting, inside, result }, world)];
}

interface Called {
  start: number;
  end: number | null;
  isWaiting: boolean;
  inside: SpanNode[];
  result: FactOf<'result'> | undefined;
}

function toToolSpan(
  call: RequestedCall,
  { start, end, isWaiting, inside, result }: Called,
  { runId, content }: AgentWorld,
): SpanNode {
  const failed = end !== null && (!result || result.failed);
  return {
    runId,
    path: callPath(call.id),
    name: `execute_tool ${call.name}`,
    kind: 'tool',
    status: end === null ? (isWaiting ? 'waiting' : 'running') : failed ? 'error' : 'ok',
    start,
    end: end === null ? null : Math.max(start, end),
    ...toSpanWarnings(result?.spent.warnings, content !== undefined),
    attributes: {
      ...toToolAttributes({ name: call.name, id: call.id, type: call.toolType }),
      ...(failed && { 'error.type': call.refused === undefined ? 'tool_failed' : 'call_refused' }),
      ...content?.takeValue('gen_ai.tool.call.arguments', call.input),
      ...(result && content?.takeValue('gen_ai.tool.call.result', result.output)),
    },
    children: inside,
  };
}
