import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { readContext, runSpanId } from '../../core/tracing/trace-context.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { callPath } from '../agent-loop/tool-calls.ts';
import {
  type AgentExecution,
  agentExecutionEntity,
  childrenPartition,
} from '../agent-runs/agent-execution.ts';
import type { RunInput } from '../agent-runs/agent-input.ts';
import { runLogReader } from '../agent-runs/run-log.ts';
import { agentSpans } from './agent-spans.ts';
import type { ContentReader } from './content.ts';
import { genAiMessages, genAiText } from './messages.ts';
import { agentSpan } from './run-span.ts';
import { nodesIn, type SpanNode } from './span-node.ts';

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
export async function spanOfAgent(reader: AgentReader, execution: AgentExecution): Promise<SpanNode> {
  const { scope, content } = reader;
  const [log, children, input] = await Promise.all([
    runLogReader(scope).read(execution.id),
    readChildRuns(reader, execution.id),
    content && inputOf(scope, execution),
  ]);
  const own = content && contentOf(execution, input ?? {}, content);
  const span = agentSpan(execution, agentSpans(execution, log, content, input?.messages));
  Object.assign(span.attributes, own);
  await addAgents(reader, span, children);
  return span;
}

async function inputOf(scope: Scope, { input, isLogged }: AgentExecution): Promise<Partial<RunInput>> {
  if (!isLogged) return {};
  return ((await payloadReader(scope).fetchReadable(input)) ?? {}) as Partial<RunInput>;
}

function contentOf({ error, isLogged }: AgentExecution, input: Partial<RunInput>, content: ContentReader) {
  if (!isLogged) return {};
  const { messages, system } = input;
  return {
    ...(messages && content.taken('gen_ai.input.messages', genAiMessages(messages))),
    ...(system && content.taken('gen_ai.system_instructions', [genAiText(system)])),
    ...(error !== null && content.taken('error.message', error)),
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
  const known = [...nodesIn(root)];
  const bySpanId = new Map(known.map((node) => [runSpanId(node.runId, node.path), node]));
  const notes = new Map(
    known.flatMap((node) => (node.kind === 'agent' ? [[node.attributes['run.id'], node]] : [])),
  );
  const read = async (execution: AgentExecution) =>
    [execution, await spanOfAgent(reader, execution)] as const;
  for await (const [execution, span] of mapConcurrently(executions, readAtOnce, read)) {
    const inside: SpanNode = { ...span, kind: 'agent', name: `invoke_agent ${span.name}` };
    const note = notes.get(execution.id);
    if (note) Object.assign(note, inside);
    else parentOf(execution, root, bySpanId).children.push(inside);
  }
}

function parentOf(
  { startedIn, parentToolCallId }: AgentExecution,
  root: SpanNode,
  bySpanId: ReadonlyMap<string, SpanNode>,
): SpanNode {
  const call = parentToolCallId && bySpanId.get(runSpanId(root.runId, callPath(parentToolCallId)));
  return bySpanId.get(readContext(startedIn)?.spanId ?? '') ?? (call || root);
}
