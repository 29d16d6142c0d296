import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { ToolDefinition } from '../../adapters/ports/tools-port.ts';
import { createFiller } from '../../adapters/templates/filler.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { secretKeysOfTool } from '../../domain/tools/secret-keys.ts';
import { type OpenedSecrets, openSecretValues } from '../step-support/opened-secrets.ts';
import type { ToolOutcome } from '../tool-support/tool-outcome.ts';
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
    const opened = secretKeys.length > 0 ? await openSecretValues(secretKeys, ports) : undefined;
    const planned = await namingTool(name, () =>
      redactingErrors(opened, () => runner.plan(planningOf(args, opened?.valuesOf(secretKeys) ?? {}))),
    );
    return {
      ...planned,
      perform: (call) =>
        toolOutcome(name, () =>
          redacted(opened, () =>
            runner.perform(planned.request, {
              config,
              signal,
              ports: opened?.ports ?? ports,
              callId: call?.id,
            }),
          ),
        ),
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

async function redacted(
  secrets: OpenedSecrets | undefined,
  work: () => Promise<ToolOutcome> | ToolOutcome,
): Promise<ToolOutcome> {
  const outcome = await redactingErrors(secrets, work);
  return secrets && 'output' in outcome ? { ...outcome, output: secrets.json(outcome.output) } : outcome;
}

async function redactingErrors<Result>(
  secrets: OpenedSecrets | undefined,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw secrets?.error(error) ?? error;
  }
}
