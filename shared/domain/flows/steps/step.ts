import * as z from 'zod';
import type { Permission } from '../../../platform/identity/permissions.ts';

/** A step as it is stored, run and answered. Its config was checked against its type when it was saved. */
export const FlowStep = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  order: z.int(),
  enabled: z.boolean(),
  /** A JavaScript expression; the step is skipped when it is falsy. */
  when: z.string().optional(),
  config: z.record(z.string(), z.unknown()),
});
export type FlowStep = z.infer<typeof FlowStep>;

/** What a step shows while it runs. */
export type StepEvent =
  | { type: 'text_start' }
  | { type: 'text_delta'; delta: string }
  | { type: 'text_complete'; text: string }
  | { type: 'custom'; name: string; value: unknown };

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
}

/** Declares a type of step. What runs it is in `execution/steps`, under the same name. */
export const defineStepType = <Type extends string, Config extends z.ZodObject, Output extends z.ZodType>(
  step: StepType<Type, Config, Output>,
) => step;

// biome-ignore lint/suspicious/noExplicitAny: a registry holds steps of every shape, and branch is contravariant in its config
export type AnyStepType = StepType<string, any, any>;

/** The variable that takes a step's output: every type that has one names it `outputVariable`, or is about it. */
export const variableOf = ({ config }: Pick<FlowStep, 'config'>): string | undefined =>
  (config.outputVariable ?? config.variableName) as string | undefined;
