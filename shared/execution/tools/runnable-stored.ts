import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { ToolDefinition } from '../../adapters/ports/tools-port.ts';
import { createFiller } from '../../adapters/templates/filler.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { secretKeysOfTool } from '../../domain/tools/secret-keys.ts';
import { findRuntimeType } from '../../domain/tools/tool-types/runtime-types.ts';
import { type Masks, type NamedSecrets, openedValues, openMasks } from '../step-support/masks.ts';
import { type AnyToolRunner, mask, type ToolPlanning } from '../tool-support/tool-runner.ts';
import { checkArguments, namingTool, toolOutcome } from './checked-call.ts';
import type { PlannedCall, RunnableTool } from './runnable-tool.ts';
import { toToolName } from './tool-name.ts';
import { findToolRunner } from './types/index.ts';

/** A tool that a tenant defined. The values of its secrets do not leave a call, except where its config sends them. */
export function runnableStored(ports: Ports, id: string, tool: ToolDefinition): RunnableTool {
  const { config, description, toolType: type } = tool;
  const name = toToolName(tool.name);
  const parameters: JsonSchema = { ...tool.parametersSchema, type: 'object' };
  const secretKeys = secretKeysOfTool(tool);
  const named: NamedSecrets = { keys: secretKeys, use: findRuntimeType(type)?.takesSecrets || 'text' };

  const planningOf = (
    args: Record<string, unknown>,
    secrets: Record<string, string>,
  ): ToolPlanning<unknown> => {
    const variables = { ...args, input: args, ...(secretKeys.length > 0 && { secrets }) };
    return { name, config, args, variables, ...createFiller(variables, ports.sandbox), ports };
  };

  async function plan(given: unknown, signal: AbortSignal): Promise<PlannedCall> {
    const runner = runnerFor(name, type);
    const args = await checkArguments(ports, { name, parameters }, given, signal);
    const masks = secretKeys.length > 0 ? openMasks(ports) : undefined;
    const opened = await masks?.ports.secrets(secretKeys);
    const masked = <Result>(work: () => Promise<Result> | Result) => maskingErrors(masks, named, work);
    const planned = await namingTool(name, () =>
      masked(() => runner.plan(planningOf(args, opened ? openedValues(opened, secretKeys) : {}))),
    );
    const inside = masks?.ports ?? ports;
    return {
      ...planned,
      perform: (call) =>
        toolOutcome(name, async () => {
          const outcome = await masked(() =>
            runner.perform(planned.request, { config, signal, ports: inside, callId: call?.id }),
          );
          return masks && 'output' in outcome ? masks.outcome(outcome, named) : outcome;
        }),
    };
  }

  async function preview(given: unknown, signal: AbortSignal): Promise<object> {
    const runner = runnerFor(name, type);
    const args = await checkArguments(ports, { name, parameters }, given, signal);
    const { request } = await runner.plan(planningOf(args, masked(secretKeys)));
    return runner.shown?.(request, config) ?? request;
  }

  const repeatable = findToolRunner(type)?.repeatable(config) ?? false;
  return { id, name, description, parameters, type, repeatable, plan, preview };
}

const masked = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, mask]));

function runnerFor(name: string, type: string): AnyToolRunner {
  const runner = findToolRunner(type);
  if (runner) return runner;
  throw new StepError(`The tool ${name} has the type ${type}, which this service cannot run yet`);
}

async function maskingErrors<Result>(
  masks: Masks | undefined,
  named: NamedSecrets,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw masks ? masks.error(error, { ...named, use: 'text' }) : error;
  }
}
