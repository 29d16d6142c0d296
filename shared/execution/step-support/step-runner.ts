import type * as z from 'zod';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { WaitPlace } from '../../adapters/ports/waits-port.ts';
import type { Filler } from '../../adapters/templates/filler.ts';
import type { Unmasked } from '../../core/redaction/hidden.ts';
import type { Variables } from '../../core/variables.ts';
import type { StepEvent, StepType } from '../../domain/flows/steps/step.ts';
import type { Act } from './acts.ts';
import type { StepInside } from './held-run.ts';

export interface StepRun<Config> extends Filler {
  config: Config;
  variables: Readonly<Variables>;
  ports: Ports;
  signal: AbortSignal;
  /** When the step began. May be days ago if it was suspended since. */
  since: Date;
  /** Where it runs. */
  place: () => WaitPlace;
  /** For what acts outside of the run. */
  act: Act;
  turns: StepTurns;
  /** Emits an event of the step; absent if nobody listens. Await it: the consumer may be slow. */
  emit?: ((event: StepEvent) => Promise<void> | void) | undefined;
}

/** What a step knows of its model's turns in an attempt that failed or was interrupted, so that no tool is called again. */
export interface StepTurns {
  earlier: () => unknown;
  /** @param acts Whether they are stored before the step goes on, because a tool has effects. */
  keep: (turns: unknown, acts: boolean) => Promise<void>;
}

/** The output of a step. The engine counts its model calls. */
export interface StepOutcome<Output = unknown> extends Unmasked {
  output: Output;
  resolvedPrompt?: string;
  /** Of what has failed in a step that went on. A variable with the name of the output's and `Errors` takes them. */
  errors?: readonly object[];
}

/** Returned instead of an outcome: the step waits until then, and then runs again. */
export interface Suspended {
  until: Date;
  /** Whether an answer of somebody else ends the wait earlier. */
  isAnswerable?: true;
  /** Whether such an answer does not resume the run yet. */
  needsResume?: true;
}

/** Returned instead of an outcome: the caller of the run executes this tool and sends its output. */
export interface AwaitsCaller {
  awaitsCaller: LocalCall;
}

/** Returned instead of an outcome: steps in the step wait. It runs again when one of them may go on. */
export interface WaitsInside {
  isWaiting: true;
}

export interface LocalCall {
  toolName: string;
  parameters: unknown;
}

type Outcome<Output> = StepOutcome<Output> | Suspended | AwaitsCaller;

/** Runs a type of step that costs nothing and acts on nothing outside of the run. */
export interface FreeRunner<Config = unknown, Output = unknown> {
  run: (step: StepRun<Config>) => Promise<Outcome<Output>> | StepOutcome<Output>;
}

/** What a step needs to say what it will do: it renders, and reads definitions of tools, but asks nobody else. */
export type StepPlanning<Config> = Pick<
  StepRun<Config>,
  'config' | 'variables' | 'render' | 'renderValue' | 'since' | 'signal'
> & { ports: Pick<Ports, 'sandbox' | 'tools'> };

/** What a step needs to do it. Nothing is rendered any more: what decides what is done is in the request. */
export type StepPerforming<Config> = Omit<StepRun<Config>, keyof Filler>;

/** What a step is about to do. Two steps whose plans are equal do the same. */
export interface StepPlan<Request> {
  /** JSON, with all that decides what is done, and nothing else: no time limits, no trace. */
  request: Request;
  /** The names whose current meaning is part of the request: of models, and of stored agents by their ids. */
  models?: readonly string[];
  agents?: readonly string[];
}

/** Runs a type of step that costs or acts: it says what it will do before it does it. */
export interface ActingRunner<Config = unknown, Request = unknown, Output = unknown> {
  plan: (step: StepPlanning<Config>) => Promise<StepPlan<Request>> | StepPlan<Request>;
  perform: (request: Request, step: StepPerforming<Config>) => Promise<Outcome<Output>> | StepOutcome<Output>;
}

/** Runs a type of step that holds steps. It may run again when the run resumes; what has ended in it does not. */
export interface HoldingRunner<Config = unknown, Output = unknown> {
  hold: (step: StepInside<Config>) => Promise<StepOutcome<Output> | WaitsInside>;
}

/** Loaded when the first step of its type runs. */
export const defineFreeRunner = <Config extends z.ZodObject, Output extends z.ZodType>(
  _type: StepType<string, Config, Output>,
  runner: FreeRunner<z.output<Config>, z.input<Output>>,
) => runner;

export const defineActingRunner = <Config extends z.ZodObject, Output extends z.ZodType, Request>(
  _type: StepType<string, Config, Output>,
  runner: ActingRunner<z.output<Config>, Request, z.input<Output>>,
) => runner;

export const defineHoldingRunner = <Config extends z.ZodObject, Output extends z.ZodType>(
  _type: StepType<string, Config, Output>,
  runner: HoldingRunner<z.output<Config>, z.input<Output>>,
) => runner;

// biome-ignore lint/suspicious/noExplicitAny: a registry holds runners of every shape, and they are contravariant in their configs
export type AnyStepRunner = FreeRunner<any, any> | ActingRunner<any, any, any> | HoldingRunner<any, any>;
