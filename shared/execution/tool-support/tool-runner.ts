/**
 * What a type of tool implements, and what types over HTTP and MCP share.
 * `plan` decides from the arguments what a call does and renders everything; `perform` then sends the plan and renders
 * nothing, so that a preview, an approval and the call show the same. Built-in tools have only `perform`: their checked
 * arguments are the plan.
 * Arguments in a URL are percent-encoded, so none can add a query, leave its part of the path or change the host.
 * Requests carry the identity of the call as `Idempotency-Key` and the trace.
 * The types in `tools/types` and `tools/builtin` implement it, `tools/open-tools.ts` calls them.
 */
import type * as z from 'zod';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { Filler } from '../../adapters/templates/filler.ts';
import type { Unmasked } from '../../core/redaction/hidden.ts';
import type { Variables } from '../../core/variables.ts';
import type { BuiltinTool } from '../../domain/tools/builtin/builtin-tool.ts';
import type { ToolType } from '../../domain/tools/tool-types/tool-type.ts';
import type { StepPlan } from '../step-support/step-runner.ts';

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

/** Makes a call of a built-in tool, whose checked arguments are its plan. @throws StepError */
export interface BuiltinRunner<Args> {
  perform: (args: Args, call: { ports: Ports; signal: AbortSignal }) => Promise<ToolOutcome> | ToolOutcome;
}

export const defineBuiltinRunner = <Parameters extends z.ZodObject>(
  _tool: BuiltinTool<string, Parameters>,
  runner: BuiltinRunner<z.output<Parameters>>,
) => runner;

// biome-ignore lint/suspicious/noExplicitAny: a registry holds runners of every shape
export type AnyBuiltinRunner = BuiltinRunner<any>;

/** A document that a tool shows beside its output. */
export interface Artifact {
  id: string;
  /** False if it replaces the content of an earlier one. */
  isNew: boolean;
  artifactType?: string;
  title?: string;
  content: string;
}

/** `awaitsCaller`: the caller of the run executes the tool and sends its output. */
export type ToolOutcome = ({ output: unknown; artifact?: Artifact } & Unmasked) | { awaitsCaller: true };
