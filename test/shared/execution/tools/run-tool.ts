import { safeFetch } from '../../../../shared/adapters/net/safe-fetch.ts';
import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import type { StoredTool, ToolDefinition } from '../../../../shared/adapters/ports/tools-port.ts';
import { openTools } from '../../../../shared/execution/tools/open-tools.ts';
import { called } from '../../../support/files/runnable-tools.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';

export const toolId = (n = 0) => `tool_${String(n).padStart(26, '0')}`;

/** A stored tool without arguments. */
export const storedTool = (given: Partial<StoredTool>): StoredTool => ({
  id: toolId(),
  name: 'The tool',
  description: 'Does it',
  toolType: 'custom',
  isActive: true,
  parametersSchema: { type: 'object' },
  config: {},
  ...given,
});

/** A world with these tools and the real network. */
export const worldWith = (tools: readonly StoredTool[], ports: Partial<Ports> = {}): Ports => ({
  ...emptyWorld,
  fetch: safeFetch,
  tools: {
    find: async (ids) => new Map(tools.flatMap((tool) => (ids.includes(tool.id) ? [[tool.id, tool]] : []))),
  },
  ...ports,
});

const { signal } = new AbortController();

async function opened(tool: Partial<StoredTool>, ports: Partial<Ports>) {
  const stored = storedTool(tool);
  const [runnable] = await openTools(worldWith([stored], ports), [stored.id], { permissions: null });
  if (!runnable) throw new Error('No tool');
  return runnable;
}

/** The output of a tool that is not local. */
export async function runTool(
  tool: Partial<ToolDefinition>,
  args: unknown = {},
  ports: Partial<Ports> = {},
): Promise<unknown> {
  const outcome = await called(await opened(tool, ports), args, signal);
  return 'output' in outcome ? outcome.output : outcome;
}

export const previewTool = async (
  tool: Partial<ToolDefinition>,
  args: unknown = {},
  ports: Partial<Ports> = {},
) => (await opened(tool, ports)).preview(args, signal);

/** The output of a built-in tool. */
export async function runBuiltin(
  id: string,
  args: unknown = {},
  ports: Partial<Ports> = {},
): Promise<unknown> {
  const [runnable] = await openTools(worldWith([], ports), [`builtin:${id}`], { permissions: null });
  const outcome = await called(runnable, args, signal);
  return 'output' in outcome ? outcome.output : outcome;
}

/** The message of the StepError that a call fails with. */
export const stepFailureMessage = async (running: Promise<unknown> | undefined) =>
  (await stepFailure(running ?? Promise.resolve())).message;
