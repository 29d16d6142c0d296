import { flowing } from '../../core/redaction/hidden.ts';
import { paidBy } from '../budgets/payers.ts';
import type { Inside, ListOutcome, ListRun } from '../step-support/held-run.ts';
import type { EngineState } from './engine.ts';
import type { Frame, ListEnd } from './run-steps.ts';
import type { StepSums } from './step-sums.ts';

interface Holder {
  path: string;
  sums: StepSums;
  /** Aborted when the step is to stop. */
  signal: AbortSignal;
  /** Whether a failure of the step may be tried again. */
  isRetried: boolean;
}

/** Lets a step run the lists that it holds. */
export function createInside(state: EngineState, around: Frame, holder: Holder): Inside {
  const { path, sums, isRetried } = holder;
  const absorbsAround = around.absorbs && !isRetried;
  return {
    kept: () => state.kept?.get(path),
    keep: (value) => state.onKept?.(path, value),
    forEach: state.bounds.forEach,
    hasBegun: (key) => state.begun.has(`${path}.${key}`),
    run: async ({ signal = holder.signal, ...list }) => {
      const frame = { ...frameFor(around, list), signal, sums, absorbs: absorbsAround || list.absorbs };
      const restore = list.scope === 'around' ? giveFor(around, list.given) : undefined;
      const end = await state.runList(state, frame, list.steps, `${path}.${list.key}.`).finally(restore);
      return outcomeOf(end, frame);
    },
  };
}

function frameFor(around: Frame, { scope, given, payer }: ListRun) {
  const ports = payer ? paidBy(around.ports, payer) : around.ports;
  if (scope === 'around') return { ...around, ports, last: { output: null } };
  const variables = { ...(scope === 'own' && around.variables), ...given };
  return { variables, own: {}, ports, last: { output: null } };
}

/** Sets variables in the scope around. @returns what puts back what was there before. */
function giveFor({ variables }: Frame, given: object) {
  const before = Object.keys(given).map(
    (name) => [name, Object.hasOwn(variables, name), variables[name]] as const,
  );
  Object.assign(variables, given);
  return () => {
    for (const [name, wasSet, value] of before) {
      if (wasSet) variables[name] = value;
      else delete variables[name];
    }
  };
}

const outcomeOf = ({ failure, isWaiting }: ListEnd, { last, own, variables }: Frame): ListOutcome => {
  if (isWaiting) return { status: 'waiting' };
  if (failure) return { status: 'failed', failure };
  return { status: 'completed', output: flowing(last), own, variables };
};
