import type * as z from 'zod';
import type { Ports } from '../../adapters/ports.ts';
import type { Filler } from '../../adapters/templates/filler.ts';
import type { Variables } from '../../core/variables.ts';
import type { StepEvent, StepType } from '../../domain/flows/steps/step.ts';

export interface StepRun<Config> extends Filler {
  config: Config;
  variables: Readonly<Variables>;
  ports: Ports;
  signal: AbortSignal;
  /** When the step began, which may be days ago where it has been suspended since. */
  since: Date;
  /** Tells those who listen to the run what is going on inside the step; absent when nobody does. Await it: they may be slow. */
  emit?: ((event: StepEvent) => Promise<void> | void) | undefined;
}

/** What a step made, and what its result should tell of a model call. */
export interface StepOutcome<Output = unknown> {
  output: Output;
  resolvedPrompt?: string;
  modelUsed?: string;
  promptTokens?: number;
  completionTokens?: number;
  /** USD, as decimal text; null where the price is not known. */
  estimatedCost?: string | null;
}

/** In place of an outcome: the step waits for a time to come, and wants to be run again then. */
export interface Suspended {
  until: Date;
}

/** What runs a type of step. Loaded when the first step of its type runs. */
export interface StepRunner<Config = unknown, Output = unknown> {
  run: (step: StepRun<Config>) => Promise<StepOutcome<Output> | Suspended> | StepOutcome<Output>;
}

export const defineStepRunner = <Config extends z.ZodObject, Output extends z.ZodType>(
  _type: StepType<string, Config, Output>,
  runner: StepRunner<z.output<Config>, z.input<Output>>,
) => runner;

// biome-ignore lint/suspicious/noExplicitAny: a registry holds runners of every shape, and run is contravariant in its config
export type AnyStepRunner = StepRunner<any, any>;
