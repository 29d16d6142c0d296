import { loadOnce } from '../../../core/concurrency/load-once.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import type { PromptConfig } from '../../../domain/flows/step-types/prompt.ts';
import { credentialField, type McpServer } from '../../../domain/flows/steps/mcp-server.ts';
import { isOfMcpServer, readBuiltinId } from '../../../domain/flows/steps/tool-reference.ts';
import type { StepPerforming, StepPlanning } from '../../step-support/step-runner.ts';
import type { RunnableTool } from '../../tools/call-tool.ts';

const load = loadOnce(async () => ({
  ...(await import('../../tools/open-configured-tools.ts')),
  ...(await import('../../tools/tool-name.ts')),
}));

type Tools = NonNullable<PromptConfig['tools']>;

/** The tools as the model will see them: definitions of stored ones, servers with their credentials. Undefined without any. */
export async function planTools(step: StepPlanning<PromptConfig>) {
  const { tools } = step.config;
  if (!tools) return undefined;
  const stored = (tools.toolIds ?? []).filter((id) => readBuiltinId(id) === undefined && !isOfMcpServer(id));
  const [definitions, mcpServers] = await Promise.all([
    stored.length > 0 ? step.ports.tools.find(stored) : new Map(),
    Promise.all((tools.mcpServers ?? []).map((server) => openServer(server, step))),
  ]);
  return { ...tools, mcpServers, definitions: Object.fromEntries(definitions) };
}

/** The tools that a prompt's model may call, and sentences about those that are not available. @throws StepError */
export async function openPromptTools(
  planned: Tools | undefined,
  { ports, signal }: StepPerforming<PromptConfig>,
): Promise<{ tools: RunnableTool[]; warnings: string[] }> {
  if (!planned) return { tools: [], warnings: [] };
  const { openConfiguredTools, makeNamesUnique } = await load();
  const { saved, runtime, ofServers, warnings } = await openConfiguredTools(ports, planned, signal);
  for (const message of warnings) ports.warn({ code: 'TOOLS_MISSING', message });
  const local = saved.find(({ type }) => type === 'local');
  if (!local) return { tools: makeNamesUnique([...saved, ...runtime, ...ofServers]), warnings };
  throw new StepError(
    `The tool ${local.name} is run by the caller, for which a prompt cannot wait; use it in a step of the type tool-call`,
  );
}

async function openServer(server: McpServer, { render }: StepPlanning<PromptConfig>): Promise<McpServer> {
  const field = credentialField(server);
  if (!server.auth || !field) return server;
  return { ...server, auth: { ...server.auth, [field]: await render(server.auth[field] ?? '') } };
}
