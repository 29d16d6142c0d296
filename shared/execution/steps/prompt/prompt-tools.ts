import { loadOnce } from '../../../core/concurrency/load-once.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import type { Config } from '../../../domain/flows/step-types/prompt.ts';
import { fieldOf, type McpServer } from '../../../domain/flows/steps/mcp-server.ts';
import type { StepRun } from '../../step-support/step-runner.ts';
import type { RunnableTool } from '../../tools/runnable-tool.ts';

const load = loadOnce(async () => ({
  ...(await import('../../tools/open-configured-tools.ts')),
  ...(await import('../../tools/unique-names.ts')),
}));

/** The tools that a prompt's model may call, and sentences about those that are not available. @throws StepError */
export async function openPromptTools(
  step: StepRun<Config>,
): Promise<{ tools: RunnableTool[]; warnings: string[] }> {
  const { config, ports, signal } = step;
  if (!config.tools) return { tools: [], warnings: [] };
  const { openConfiguredTools, withUniqueNames } = await load();
  const mcpServers = await Promise.all((config.tools.mcpServers ?? []).map((server) => opened(server, step)));
  const { saved, runtime, ofServers, warnings } = await openConfiguredTools(
    ports,
    { ...config.tools, mcpServers },
    signal,
  );
  const local = saved.find(({ type }) => type === 'local');
  if (!local) return { tools: withUniqueNames([...saved, ...runtime, ...ofServers]), warnings };
  throw new StepError(
    `The tool ${local.name} is run by the caller, for which a prompt cannot wait; use it in a step of the type tool-call`,
  );
}

async function opened(server: McpServer, { render }: StepRun<Config>): Promise<McpServer> {
  const field = fieldOf(server);
  if (!server.auth || !field) return server;
  return { ...server, auth: { ...server.auth, [field]: await render(server.auth[field] ?? '') } };
}
