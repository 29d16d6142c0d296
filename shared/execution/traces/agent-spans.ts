import type { Fact } from '../agent-loop/facts.ts';
import type { LogEntry } from '../agent-runs/log/run-log.ts';
import { type AgentWorld, callsIn, waitSpan } from './call-spans.ts';
import type { ContentReader } from './content.ts';
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
