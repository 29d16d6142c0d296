import type * as z from 'zod';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { Filler } from '../../adapters/templates/filler.ts';
import type { Variables } from '../../core/variables/variables.ts';
import type { ToolType } from '../../domain/tools/tool-types/tool-type.ts';
import type { ToolOutcome } from './tool-outcome.ts';

/** A call of a tool. Its arguments fit the schema. */
export interface ToolRun<Config> extends Filler {
  name: string;
  config: Config;
  args: Record<string, unknown>;
  /** The arguments by name, all of them as `input`, and the secrets of the config as `secrets`. */
  variables: Readonly<Variables>;
  ports: Ports;
  signal: AbortSignal;
  callId?: string | undefined;
}

/** Runs a type of tool. @throws StepError */
export interface ToolRunner<Config = unknown> {
  run: (call: ToolRun<Config>) => Promise<ToolOutcome> | ToolOutcome;
  /** Whether a call may be made again after an earlier one with the same arguments was interrupted. */
  repeatable: (config: Config) => boolean;
  /** The request that `run` would make, for people. The secrets are masked. */
  preview: (call: ToolRun<Config>) => Promise<object> | object;
}

export const defineToolRunner = <Config extends z.ZodObject>(
  _type: ToolType<string, Config>,
  runner: ToolRunner<z.output<Config>>,
) => runner;

// biome-ignore lint/suspicious/noExplicitAny: a registry holds runners of every shape, and run is contravariant in its config
export type AnyToolRunner = ToolRunner<any>;
