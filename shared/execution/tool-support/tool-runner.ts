import type * as z from 'zod';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { Filler } from '../../adapters/templates/filler.ts';
import type { Variables } from '../../core/variables/variables.ts';
import type { ToolType } from '../../domain/tools/tool-types/tool-type.ts';
import type { StepPlan } from '../step-support/step-runner.ts';
import type { ToolOutcome } from './tool-outcome.ts';

/** What a tool needs to say what a call does: it renders, but asks nobody. The arguments fit the schema. */
export interface ToolPlanning<Config> extends Filler {
  name: string;
  config: Config;
  args: Record<string, unknown>;
  /** The arguments by name, all of them as `input`, and the secrets of the config as `secrets`. */
  variables: Readonly<Variables>;
  ports: Pick<Ports, 'sandbox'>;
}

/** What a tool needs to make a call. Nothing is rendered any more: what decides what is done is in the request. */
export interface ToolPerforming<Config> {
  config: Config;
  ports: Ports;
  signal: AbortSignal;
  /** The same whenever the call is repeated. */
  callId?: string | undefined;
}

/** A type of tool says what a call does before it does it, as a type of step. @throws StepError */
export interface ToolRunner<Config = unknown, Request = unknown> {
  plan: (call: ToolPlanning<Config>) => Promise<StepPlan<Request>> | StepPlan<Request>;
  perform: (request: Request, call: ToolPerforming<Config>) => Promise<ToolOutcome> | ToolOutcome;
  /** Whether a call may be made again after an earlier one with the same arguments was interrupted. */
  repeatable: (config: Config) => boolean;
  /** The request as people see it, planned with masks for secrets. Default: as it is. */
  shown?: (request: Request, config: Config) => object;
}

export const mask = '********';

export const defineToolRunner = <Config extends z.ZodObject, Request>(
  _type: ToolType<string, Config>,
  runner: ToolRunner<z.output<Config>, Request>,
) => runner;

// biome-ignore lint/suspicious/noExplicitAny: a registry holds runners of every shape, which are contravariant in their configs
export type AnyToolRunner = ToolRunner<any, any>;
