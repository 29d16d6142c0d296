import { createFiller } from '../../adapters/templates/filler.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { characterCount } from '../../core/json/json-texts.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import type { RunPath } from '../../domain/flows/steps/run-path.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import type {
  ActingRunner,
  AwaitsCaller,
  StepOutcome,
  StepPlan,
  StepRun,
  Suspended,
} from '../step-support/step-runner.ts';
import type { EngineState } from './engine.ts';
import { requestHash } from './request-hash.ts';
import type { Frame } from './run-steps.ts';

/** A completed result stands in for a step whose request has this hash. */
export type Reuse = (hash: string) => Promise<StepOutcome | undefined>;

interface Acting {
  state: EngineState;
  frame: Frame;
  step: FlowStep;
  path: RunPath;
  /** Absent where the step runs whatever was stored. */
  reuse: Reuse | undefined;
  /** Receives the hash of the request before it is made. */
  onHash: (hash: string) => void;
}

/**
 * What surrounds a request, in its order: plan → reuse → perform. A run that reuses nothing pays for the hash alone, which
 * is stored with the result.
 */
export async function actOn<Config>(
  runner: ActingRunner<Config>,
  run: StepRun<Config>,
  { state, frame, step, path, reuse, onHash }: Acting,
): Promise<StepOutcome | Suspended | AwaitsCaller> {
  const known = { ...run, ports: { ...run.ports, tools: readOnce(run.ports.tools) } };
  const plan = await runner.plan(known);
  const hash = await hashOf(runner, known, plan, { state, frame, step });
  if (hash !== undefined) {
    onHash(hash);
  }
  const earlier = hash === undefined ? undefined : await reuse?.(hash);
  if (state.rehearsal) return state.rehearsal.act({ step, path }, plan, earlier);
  if (earlier) return earlier;
  return runner.perform(plan.request, known);
}

/** Larger requests, such as ten thousand vectors, are made again rather than hashed. */
const hashedCharactersMax = 4_000_000;

/** Undefined for what is not reused, and for what cannot be made: its failure says why. */
async function hashOf<Config>(
  runner: ActingRunner<Config>,
  run: StepRun<Config>,
  plan: StepPlan<unknown>,
  { state: { trace, secrets }, frame: { variables }, step }: Pick<Acting, 'state' | 'frame' | 'step'>,
): Promise<string | undefined> {
  // Steps of a flow inside of another have no results.
  if (!trace || !getStepType(step.type).reusable) return undefined;
  if (characterCount(plan.request, hashedCharactersMax) > hashedCharactersMax) return undefined;
  try {
    const marked = secrets.markedFor(step, variables);
    const shown =
      marked &&
      (await runner.plan({ ...run, variables: marked, ...createFiller(marked, run.ports.sandbox) }));
    return await requestHash(step.type, shown ?? plan, run.ports);
  } catch (error) {
    run.signal.throwIfAborted();
    if (error instanceof StepError) return undefined;
    throw error;
  }
}

/** Planning and performing read the same definitions of tools, in one request. */
function readOnce({ find }: StepRun<unknown>['ports']['tools']): StepRun<unknown>['ports']['tools'] {
  const reading = new Map<string, ReturnType<typeof find>>();
  return {
    find(ids) {
      const name = ids.join();
      const read = reading.get(name) ?? find(ids);
      reading.set(name, read);
      return read;
    },
  };
}
