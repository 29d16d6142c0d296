import * as z from 'zod';
import type { Permission } from '../../../platform/identity/permissions.ts';
import { RetryPolicy } from './retry-policy.ts';

/** A stored step. Its config was validated against its type when the flow was saved. */
export const FlowStep = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  order: z.int(),
  enabled: z.boolean(),
  /** A JavaScript expression. The step is skipped if it is falsy. */
  when: z.string().optional(),
  retry: RetryPolicy.optional(),
  /** How long an attempt may work. */
  timeoutMs: z.int().optional(),
  config: z.record(z.string(), z.unknown()),
});
export type FlowStep = z.infer<typeof FlowStep>;

/** What a step or a tool uses secrets for. */
export type SecretUse = 'credentials' | 'text';

export type StepEvent =
  | { type: 'text_start' }
  | { type: 'text_delta'; delta: string }
  | { type: 'text_complete'; text: string }
  | { type: 'reasoning_start' }
  | { type: 'reasoning_delta'; delta: string }
  | { type: 'reasoning_complete'; text: string }
  | { type: 'tool_start'; toolCallId: string; toolName: string; toolType: string }
  | { type: 'tool_input_delta'; toolCallId: string; delta: string }
  | { type: 'tool_input_complete'; toolCallId: string; parameters: unknown }
  | { type: 'tool_output_delta'; toolCallId: string; delta: string }
  | {
      type: 'tool_complete';
      toolCallId: string;
      toolName: string;
      success: boolean;
      result?: unknown;
      error?: string;
      /** In ms. */
      executionTime: number;
    }
  | { type: 'source'; source: { id: string; title: string | null; url: string | null } }
  | { type: 'custom'; name: string; value: unknown };

interface Branch {
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
  /** Strict: saving a flow rejects unknown members. */
  config: Config;
  /** The config with the schema of the steps that it holds, for types that hold steps. */
  createConfig?: (steps: z.ZodType<FlowStep[], unknown>) => Config;
  output: Output;
  /** True if the step has effects outside of the run: its result is checkpointed before the next step begins. */
  effects: boolean;
  /**
   * For types whose steps may act (`step-support/acts.ts`): whether one with this config does. It stores the results before it
   * with the mark that it begins.
   */
  acts?: (config: z.output<Config>) => boolean;
  /**
   * True if a completed result may stand in for the step in a later run on the same record, if its request is the same.
   * False for what reads data of the tenant that changes, and for what costs nothing.
   */
  reusable: boolean;
  /**
   * Whether the config may contain `{{secret:KEY}}`. Only for work that leaves the service: stored data would keep the value.
   * `credentials`: to identify itself to another system, whose answer has its own words. `text`: in what the step writes itself.
   */
  takesSecrets: SecretUse | false;
  /** True if it may call a model, by itself or by what it runs: budgets may refuse the start of its flow. */
  callsModels: boolean;
  /** The permission that the caller of an inline flow needs in addition to FLOWS:EXECUTE; null if none. */
  permission: Permission | null;
  /** Variables that the texts of one member of the config have in addition to those of the run. */
  textVariables?: { member: string; names: (config: z.output<Config>) => readonly string[] };
  /** The steps to run next, in the scope of the step, with the name of their list in paths. */
  branch?: (config: z.output<Config>, output: z.output<Output>) => Branch;
}

/** Declares a step type. Its runner is in `execution/steps`, under the same name. */
export const defineStepType = <Type extends string, Config extends z.ZodObject, Output extends z.ZodType>(
  step: StepType<Type, Config, Output>,
) => step;

// biome-ignore lint/suspicious/noExplicitAny: a registry holds steps of every shape, and branch is contravariant in its config
export type AnyStepType = StepType<string, any, any>;

export const outputVariableName = ({ config }: Pick<FlowStep, 'config'>): string | undefined =>
  (config.outputVariable ?? config.variableName) as string | undefined;
