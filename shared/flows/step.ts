import type * as z from 'zod';
import type { Permission } from '../auth/permissions.ts';
import type { Ports } from './ports.ts';
import type { Filler } from './templates.ts';

export type Variables = Record<string, unknown>;

/** One step as it is stored: its config has been checked against its type. */
export interface FlowStep {
  id: string;
  type: string;
  name: string;
  order: number;
  enabled: boolean;
  /** A JavaScript expression; the step is skipped when it is falsy. */
  when?: string | undefined;
  config: Record<string, unknown>;
}

export interface StepRun<Config> extends Filler {
  config: Config;
  variables: Readonly<Variables>;
  ports: Ports;
  signal: AbortSignal;
  /** When the step began, which may be days ago where it has been parked since. */
  since: Date;
  /** Tells those who listen to the run what is going on inside the step; absent when nobody does. Await it: they may be slow. */
  emit?: ((event: StepEvent) => Promise<void> | void) | undefined;
}

/** What a step shows while it runs. */
export type StepEvent =
  | { type: 'text_start' }
  | { type: 'text_delta'; delta: string }
  | { type: 'text_complete'; text: string }
  | { type: 'custom'; name: string; value: unknown };

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
export interface Parked {
  until: Date;
}

export interface Branch {
  name: string;
  steps: readonly FlowStep[];
}

export interface StepType<
  Type extends string = string,
  Config extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  type: Type;
  summary: string;
  /** Strict: an unknown member of a config is refused when the flow is saved. */
  config: Config;
  output: Output;
  /** True where the step reaches outside: its result is checkpointed before the next step begins. */
  effects: boolean;
  /**
   * True where `{{secret:KEY}}` may stand in its config. Only for work that leaves the service: what a step keeps would
   * keep the value too. Otherwise a config that names a secret is refused.
   */
  takesSecrets: boolean;
  /** What the caller of an inline flow has to hold beside FLOWS:EXECUTE; null where that is enough. */
  permission: Permission | null;
  /** Steps to run next, before the one that follows, and the name of that branch: how a condition branches. */
  branch?: (config: z.output<Config>, output: z.output<Output>) => Branch;
  run: (
    step: StepRun<z.output<Config>>,
  ) => Promise<StepOutcome<z.input<Output>> | Parked> | StepOutcome<z.input<Output>>;
}

export const defineStep = <Type extends string, Config extends z.ZodObject, Output extends z.ZodType>(
  step: StepType<Type, Config, Output>,
) => step;

// biome-ignore lint/suspicious/noExplicitAny: a registry holds steps of every shape, and run is contravariant in its config
export type AnyStepType = StepType<string, any, any>;

/** The variable that takes a step's output: every type that has one names it `outputVariable`, or is about it. */
export const variableOf = ({ config }: Pick<FlowStep, 'config'>): string | undefined =>
  (config.outputVariable ?? config.variableName) as string | undefined;

/** A step that could not do its work. Its message is shown in the step's result. */
export class StepError extends Error {
  /** Whether the same step may succeed when it is tried again: a network fault may, a wrong script may not. */
  readonly retryable: boolean;

  constructor(message: string, { retryable = false, cause }: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.retryable = retryable;
  }
}
