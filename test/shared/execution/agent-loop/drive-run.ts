import type { ModelMessage } from '../../../../shared/adapters/ports/model-port.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import type { Fact, LoopWait } from '../../../../shared/execution/agent-loop/facts.ts';
import { runLoop } from '../../../../shared/execution/agent-loop/loop.ts';
import { type RunState, replay } from '../../../../shared/execution/agent-loop/state.ts';
import type { AnyRun, ProcessDeath } from './any-run.ts';
import { runWorld } from './run-world.ts';

export const messages: ModelMessage[] = [
  { role: 'system', content: 'You are a test' },
  { role: 'user', content: 'Go' },
];

/** No run needs as many processes. */
const processesMax = 60;

/** Runs to the end. Processes die, others go on from what was recorded, and somebody answers what it waits for. */
export async function drive(run: AnyRun, deaths: readonly ProcessDeath[] = []) {
  const world = runWorld(run);
  /** As JSON, which is what is recorded. */
  const log: string[] = [];
  const record = (facts: readonly Fact[]) => log.push(...facts.map((fact) => JSON.stringify(fact)));
  const facts = () => log.map((line) => JSON.parse(line) as Fact);
  /** The states that the loop had when it stopped, by the number of facts. */
  const ended: { facts: number; state: RunState }[] = [];
  const left = [...deaths];
  const answers = openAnswers(run.answers);
  let mayHaveBegun = false;
  for (let processes = 0; processes < processesMax; processes++) {
    const state = replay(messages, facts());
    if (state.end) return { ...world, facts: facts(), ended };
    if (state.waits.length > 0) {
      record(answers(state.waits));
      mayHaveBegun = false;
      continue;
    }
    const outcome = await live(world, state, { mayHaveBegun, death: left.shift(), record });
    if (outcome) ended.push({ facts: log.length, state: outcome });
    mayHaveBegun = !outcome;
  }
  throw new Error('The run does not end');
}

interface Life {
  mayHaveBegun: boolean;
  death: ProcessDeath | undefined;
  record: (facts: readonly Fact[]) => unknown;
}

/** One process. @returns the state at its end; undefined if it died. */
async function live(
  { loopWith }: ReturnType<typeof runWorld>,
  from: RunState,
  { mayHaveBegun, death, record }: Life,
): Promise<RunState | undefined> {
  const loop = runLoop(loopWith(new AbortController().signal), from, mayHaveBegun);
  try {
    for (let events = 1; ; events++) {
      const { done, value } = await loop.next();
      if (done) return value;
      const dies = events === death?.afterEvents;
      if (value.type === 'facts' && (!dies || death.isRecorded)) record(value.facts);
      if (dies) break;
    }
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    const reason = error.message;
    record([{ type: 'end', stopReason: 'error', output: null, error: reason, at: new Date().toISOString() }]);
    return undefined;
  }
  await loop.return(undefined as never);
  return undefined;
}

/** Answers some of the waits, at least one, in any order; the last answer continues the run. */
export function openAnswers(given: AnyRun['answers']) {
  let count = 0;
  return function answers(waits: readonly LoopWait[]): Fact[] {
    const open = [...waits];
    const facts: Fact[] = [];
    const at = new Date().toISOString();
    for (let goesOn = true; goesOn && open.length > 0; ) {
      const { place, decision, more } = given[count++ % given.length] as AnyRun['answers'][number];
      const [wait] = open.splice(place % open.length, 1) as [LoopWait];
      facts.push(answerTo(wait, decision, at));
      goesOn = more;
    }
    return open.length > 0 ? facts : [...facts, { type: 'continue', at }];
  };
}

const nothing = { inputTokens: 0, outputTokens: 0, cost: '0' };

const answerTo = (
  { callId, toolName, approvalId }: LoopWait,
  decision: 'approved' | 'denied' | 'timeout',
  at: string,
): Fact =>
  approvalId
    ? { type: 'decision', approvalId, callId, decision, by: decision === 'timeout' ? null : 'user', at }
    : { type: 'result', callId, toolName, output: 21, failed: false, durationMs: 0, spent: nothing, at };
