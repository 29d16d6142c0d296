import type { EndFact, Fact, TurnFact } from '../agent-loop/facts.ts';
import { attemptSpans, intoAttempts } from './attempt-spans.ts';
import { modelAttributes } from './attributes.ts';
import { type AgentWorld, callSpans } from './call-spans.ts';
import { genAiAnswer } from './messages.ts';
import { noteSpans } from './note-spans.ts';
import { type SpanNode, spanWarnings } from './span-node.ts';

/** @param heard The messages that the model had not got before, as the conventions write them. */
export function turnSpan(fact: TurnFact, world: AgentWorld, heard?: readonly object[]): SpanNode {
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
    ...spanWarnings(fact.spent.warnings, world.content !== undefined),
    children: [...modelSpans(fact, path, world, heard), ...calls],
  };
}

/** The turn in which the model failed, or the run was ended. */
export function failedTurn(
  { at, attempts = [], notes = [] }: EndFact,
  facts: readonly Fact[],
  world: AgentWorld,
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

function modelSpans(
  fact: TurnFact,
  turnPath: string,
  { runId, began, content }: AgentWorld,
  heard: readonly object[] | undefined,
): SpanNode[] {
  const end = Date.parse(fact.at);
  const said = {
    ...(heard?.length && content?.taken('gen_ai.input.messages', heard)),
    ...content?.taken('gen_ai.output.messages', genAiAnswer(fact.message.content, fact.stopReason)),
  };
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
