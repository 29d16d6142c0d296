import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { ToolDefinition } from '../../adapters/ports/tools-port.ts';
import { fillerOf } from '../../adapters/templates/filler.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { secretKeysOfTool } from '../../domain/tools/secret-keys.ts';
import { type OpenedSecrets, openSecretValues } from '../step-support/opened-secrets.ts';
import type { ToolOutcome } from '../tool-support/tool-outcome.ts';
import type { AnyToolRunner, ToolRun } from '../tool-support/tool-runner.ts';
import { checkArguments, toolOutcome } from './checked-call.ts';
import type { RunnableTool, ToolCallContext } from './runnable-tool.ts';
import { toolNameOf } from './tool-name.ts';
import { toolRunnerOf } from './types/index.ts';

const mask = '********';

interface Inside {
  signal: AbortSignal;
  secrets: Record<string, string>;
  inside: Ports;
  callId?: string | undefined;
}

/** A tool that a tenant defined. The values of its secrets do not leave a call, except where its config sends them. */
export function runnableStored(ports: Ports, id: string, tool: ToolDefinition): RunnableTool {
  const { config, description, toolType: type } = tool;
  const name = toolNameOf(tool.name);
  const parameters: JsonSchema = { ...tool.parametersSchema, type: 'object' };
  const secretKeys = secretKeysOfTool(tool);

  const callOf = (
    args: Record<string, unknown>,
    { signal, secrets, inside, callId }: Inside,
  ): ToolRun<unknown> => {
    const variables = { ...args, input: args, ...(secretKeys.length > 0 && { secrets }) };
    return {
      name,
      config,
      args,
      variables,
      ...fillerOf(variables, ports.sandbox),
      ports: inside,
      signal,
      callId,
    };
  };

  async function run(args: unknown, signal: AbortSignal, call?: ToolCallContext): Promise<ToolOutcome> {
    const runner = runnerFor(name, type);
    const checked = await checkArguments(ports, { name, parameters }, args, signal);
    const opened = secretKeys.length > 0 ? await openSecretValues(secretKeys, ports) : undefined;
    return toolOutcome(name, () =>
      redacted(opened, () => {
        const secrets = opened?.valuesOf(secretKeys) ?? {};
        const inside = { signal, secrets, inside: opened?.ports ?? ports, callId: call?.id };
        return runner.run(callOf(checked, inside));
      }),
    );
  }

  async function preview(args: unknown, signal: AbortSignal): Promise<object> {
    const runner = runnerFor(name, type);
    const checked = await checkArguments(ports, { name, parameters }, args, signal);
    const secrets = Object.fromEntries(secretKeys.map((key) => [key, mask]));
    return runner.preview(callOf(checked, { signal, secrets, inside: ports }));
  }

  const repeatable = toolRunnerOf(type)?.repeatable(config) ?? false;
  return { id, name, description, parameters, type, repeatable, run, preview };
}

function runnerFor(name: string, type: string): AnyToolRunner {
  const runner = toolRunnerOf(type);
  if (runner) return runner;
  throw new StepError(`The tool ${name} has the type ${type}, which this service cannot run yet`);
}

async function redacted(
  secrets: OpenedSecrets | undefined,
  work: () => Promise<ToolOutcome> | ToolOutcome,
): Promise<ToolOutcome> {
  if (!secrets) return work();
  try {
    const outcome = await work();
    return 'output' in outcome ? { ...outcome, output: secrets.json(outcome.output) } : outcome;
  } catch (error) {
    throw secrets.error(error);
  }
}
