import type { Fact, FactOf, RequestedCall } from '../agent-loop/facts.ts';
import { callPath } from '../agent-loop/tool-calls.ts';
import { toolAttributes } from './attributes.ts';
import type { ContentReader } from './content.ts';
import { noteSpans } from './note-spans.ts';
import { type SpanNode, spanWarnings } from './span-node.ts';

interface Calls {
  results: ReadonlyMap<string, FactOf<'result'>>;
  decisions: ReadonlyMap<string, FactOf<'decision'>>;
  pauses: ReadonlyMap<string, { kind: 'approval' | 'output'; at: number }>;
}

export interface AgentWorld extends Calls {
  runId: string;
  /** Unix milliseconds. */
  began: number;
  ended: number | null;
  content: ContentReader | undefined;
}

export const callsIn = (facts: readonly Fact[]): Calls => ({
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

export const waitSpan = (
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
export function callSpans(call: RequestedCall, requestedAt: number, world: AgentWorld): SpanNode[] {
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
  { runId, content }: AgentWorld,
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
    ...spanWarnings(result?.spent.warnings, content !== undefined),
    attributes: {
      ...toolAttributes({ name: call.name, id: call.id, type: call.toolType }),
      ...(failed && { 'error.type': call.refused === undefined ? 'tool_failed' : 'call_refused' }),
      ...content?.taken('gen_ai.tool.call.arguments', call.input),
      ...(result && content?.taken('gen_ai.tool.call.result', result.output)),
    },
    children: inside,
  };
}
