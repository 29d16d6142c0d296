import type { Message } from '../../domain/conversations/message.ts';
import type { Fact, RequestedCall } from '../agent-loop/facts.ts';
import type { LogEntry } from '../agent-runs/run-log.ts';
import { type AgentWorld, callsIn, waitSpan } from './call-spans.ts';
import type { ContentReader } from './content.ts';
import { genAiMessages } from './messages.ts';
import { noteSpans } from './note-spans.ts';
import type { SpanNode } from './span-node.ts';
import { failedTurn, turnSpan } from './turn-spans.ts';

interface RunOfAgent {
  id: string;
  /** ISO 8601. */
  startedAt: string;
  completedAt: string | null;
  background: boolean;
}

/** The spans inside of a run of an agent: its turns, with the calls of models and tools, and what it waited for. */
export function agentSpans(
  run: RunOfAgent,
  log: readonly LogEntry[],
  content?: ContentReader,
  messages: readonly Message[] = [],
): SpanNode[] {
  const facts = log.map(({ fact }) => fact);
  const ended = run.completedAt === null ? null : Date.parse(run.completedAt);
  const world = { runId: run.id, began: Date.parse(run.startedAt), ended, content, ...callsIn(facts) };
  let heard: object[] | undefined = genAiMessages(messages);
  return [
    ...queueSpan(run, facts[0], world),
    ...log.flatMap(({ n, fact }) => {
      if (fact.type === 'turn') {
        const span = turnSpan(fact, world, heard);
        heard = genAiResults(fact.calls, world);
        return [span];
      }
      if (fact.type === 'end') return failedTurn(fact, facts, world);
      if (fact.type !== 'context' && fact.type !== 'compaction') return [];
      return noteSpans(fact.notes ?? [], { runId: run.id, path: `fact/${n}`, since: world.began });
    }),
  ];
}

/** Each turn shows what is new since the one before: all of it each time would grow with the square of the turns. */
const genAiResults = (calls: readonly RequestedCall[], { results }: AgentWorld) =>
  calls.flatMap(({ id, name }) => {
    const result = results.get(id);
    const part = result && { type: 'tool-result' as const, id, name, output: result.output };
    return part ? genAiMessages([{ role: 'tool', content: [part] }]) : [];
  });

/** Until a worker has a run in the background. */
function queueSpan({ background }: RunOfAgent, first: Fact | undefined, world: AgentWorld): SpanNode[] {
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
