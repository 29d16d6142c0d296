import type { ModelEvent, ModelPort } from '../../../../shared/adapters/ports/model-port.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { newId } from '../../../../shared/core/ids.ts';
import type { Fact } from '../../../../shared/execution/agent-loop/facts.ts';
import type { Loop } from '../../../../shared/execution/agent-loop/loop.ts';
import { apply, type RunState } from '../../../../shared/execution/agent-loop/state.ts';
import { fakeTool } from '../../../support/files/runnable-tools.ts';
import { noNames } from '../../../support/models/model-ports.ts';
import { type AnyRun, type AnyTurn, toolNames } from './any-run.ts';

const over: AnyTurn = { text: 'over', reasoning: '', calls: [], failures: 0, before: [] };
const now = () => new Date();
const at = () => now().toISOString();
const cost = { inputTokens: 3, outputTokens: 2, cost: '0.001' };

/** The loop of a made-up run, and what its tools did. It outlives the processes that run it. */
export function runWorld(run: AnyRun) {
  /** The ids of the calls that each tool began. */
  const begun: { name: string; callId: string }[] = [];
  /** The states that the loop itself had before its turns. */
  const seen: RunState[] = [];
  const failed = new Map<number, number>();
  let turn = 1;
  const current = () => run.turns[turn - 1] ?? over;

  const model: ModelPort = {
    ...noNames,
    async *stream({ toolChoice }): AsyncGenerator<ModelEvent> {
      const { text, reasoning, calls, failures } = current();
      if (reasoning) yield { type: 'reasoning-delta', text: reasoning };
      for (const piece of text.match(/\S+\s*/g) ?? []) yield { type: 'text-delta', text: piece };
      const before = failed.get(turn) ?? 0;
      if (before < failures) {
        failed.set(turn, before + 1);
        throw new StepError('The model broke down');
      }
      const requested = toolChoice === 'none' ? [] : calls;
      const ids = requested.map((_, n) => `${turn}-${n}`);
      for (const [n, { name, input }] of requested.entries()) {
        const id = ids[n] as string;
        yield { type: 'tool-call-delta', id, name, text: '{' };
        yield { type: 'tool-call', id, name, input, text: '{' };
      }
      const content = requested.map(({ name, input }, n) => ({
        type: 'tool-call' as const,
        id: ids[n] as string,
        name,
        input: input ?? {},
      }));
      yield {
        type: 'finish',
        text,
        message: { role: 'assistant', content: [{ type: 'text', text }, ...content] },
        stopReason: requested.length > 0 ? 'tool-calls' : 'stop',
        modelUsed: 'm',
        keySource: 'platform',
        usage: null,
        cost: null,
      };
    },
  };

  const toolNamed = (name: (typeof toolNames)[number]) =>
    fakeTool(
      {
        name,
        description: name,
        repeatable: name === 'safe',
        type: name.endsWith('local') ? 'local' : 'custom',
      },
      async (_args, _signal, call) => {
        begun.push({ name, callId: call?.id ?? '' });
        call?.emit({ type: 'output', delta: 'working' });
        await new Promise((resolve) => setImmediate(resolve));
        if (name === 'failing') throw new StepError('It broke');
        return { output: { name } };
      },
    );

  function beforeFacts(state: RunState): Fact[] {
    const spent = cost;
    const context = { type: 'context', text: 'It is noon.', spent, at: at() } as const;
    const facts: Fact[] = run.hasContext && state.turns === 0 && !state.hasContext ? [context] : [];
    // A process that took the run over finds the note of the former one.
    for (const kind of state.isReminded ? [] : current().before) {
      const { messages } = facts.reduce(apply, state);
      const summary = { role: 'user' as const, content: 'In short: a lot' };
      const kept = [0, summary, ...messages.keys().drop(Math.max(1, messages.length - 2))];
      if (kind === 'note') facts.push({ type: 'note', reason: 'reflection', text: 'Think', at: at() });
      else facts.push({ type: 'compaction', messages: kept, summary: 'a lot', spent, at: at() });
    }
    return facts;
  }

  const loopWith = (signal: AbortSignal): Loop => ({
    model,
    request: { model: 'm', streamed: true },
    tools: toolNames.map(toolNamed),
    newId,
    warn() {},
    now,
    signal,
    limits: { callsMax: run.callsMax, callsMaxOf: { effect: run.effectsMax } },
    turnsMax: run.turnsMax,
    toolChoice: run.toolChoice,
    requiredTools: run.requiredTools,
    errorHandling: run.errorHandling,
    needsApproval: ({ name }) => name.startsWith('gated'),
    waitMs: { approval: 60_000, output: 60_000 },
    spent: () => cost,
    async beforeTurn(state) {
      turn = state.turns + 1;
      seen.push(state);
      return { facts: beforeFacts(state) };
    },
  });

  return { begun, seen, loopWith };
}
