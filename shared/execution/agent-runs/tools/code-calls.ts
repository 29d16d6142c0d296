import type { RunState } from '../../agent-loop/state.ts';
import type { Spent } from '../../model-costs/call-cost.ts';
import { runCodeToolName } from '../../tools/agent-only/run-code.ts';

/** The calls that the code of a run has made. The log keeps them, so that they count wherever the run goes on. */
export interface CodeCalls {
  made: () => { callCount: number; callsOf: ReadonlyMap<string, number> };
  /** @param toolId Undefined for a call that was refused. */
  add: (toolId: string | undefined, count?: number) => void;
  /** Those since the last time. */
  drain: () => Pick<Spent, 'codeCalls'>;
}

const refused = '';

export function openCodeCalls({ totals }: RunState): CodeCalls {
  const callsOf = new Map(Object.entries(totals.codeCalls));
  let fresh: Record<string, number> = {};
  return {
    made: () => ({ callCount: callsOf.values().reduce((sum, count) => sum + count, 0), callsOf }),
    add(toolId = refused, count = 1) {
      callsOf.set(toolId, (callsOf.get(toolId) ?? 0) + count);
      fresh[toolId] = (fresh[toolId] ?? 0) + count;
    },
    drain() {
      const codeCalls = fresh;
      fresh = {};
      return Object.keys(codeCalls).length > 0 ? { codeCalls } : {};
    },
  };
}

/** Whether code ran when the process of the run died. Nobody knows what it called. */
export const isCodeLost = ({ open, results }: RunState) =>
  open.some(({ id, name }) => name === runCodeToolName && !results.has(id));
