import type * as z from 'zod';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { Filler } from '../../adapters/templates/filler.ts';
import type { Variables } from '../../core/variables/variables.ts';
import type { StepEvent, StepType } from '../../domain/flows/steps/step.ts';

export interface StepRun<Config> extends Filler {
  config: Config;
  variables: Readonly<Variables>;
  ports: Ports;
  signal: AbortSignal;
  /** When the step began. May be days ago if it was suspended since. */
  since: Date;
  /** Emits an event of the step; absent if nobody listens. Await it: the consumer may be slow. */
  emit?: ((event: StepEvent) => Promise<void> | void) | undefined;
}

/** The output of a step. The engine counts its model calls. */
export interface StepOutcome<Output = unknown> {
  output: Output;
  resolvedPrompt?: string;
}

/** Returned instead of an outcome: the step waits until then, and then runs again. */
export interface Suspended {
  until: Date;
}

/** Returned instead of an outcome: the caller of the run executes this tool and sends its output. */
export interface AwaitsCaller {
  awaitsCaller: LocalCall;
}

export interface LocalCall {
  toolName: string;
  parameters: unknown;
}

/** Runs a type of step. Loaded when the first step of its type runs. */
export interface StepRunner<Config = unknown, Output = unknown> {
  run: (
    step: StepRun<Config>,
  ) => Promise<StepOutcome<Output> | Suspended | AwaitsCaller> | StepOutcome<Output>;
}

export const defineStepRunner = <Config extends z.ZodObject, Output extends z.ZodType>(
  _type: StepType<string, Config, Output>,
  runner: StepRunner<z.output<Config>, z.input<Output>>,
) => runner;

// biome-ignore lint/suspicious/noExplicitAny: a registry holds runners of every shape, and run is contravariant in its config
export type AnyStepRunner = StepRunner<any, any>;
