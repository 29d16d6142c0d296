import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { detailAt, type ErrorDetail } from '../../core/errors.ts';
import { detailsOf } from '../../platform/http/validation.ts';
import { duplicatesIn } from '../duplicates.ts';
import type { McpServer } from '../flows/steps/mcp-server.ts';
import type { RuntimeTool } from '../flows/steps/runtime-tool.ts';
import { toolProblems } from './check-tool.ts';
import { runtimeTypeOf } from './tool-types/runtime-types.ts';

/** The tools that an agent or a step defines itself. */
export interface OwnTools {
  runtimeTools?: readonly RuntimeTool[] | undefined;
  mcpServers?: readonly McpServer[] | undefined;
}

/** What the schemas of runtime tools and MCP servers do not check. @param path Of the object with both lists. */
export async function ownToolProblems(
  { runtimeTools = [], mcpServers = [] }: OwnTools,
  path: readonly PropertyKey[],
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  const [ofTools, ofServers] = [
    [...path, 'runtimeTools'],
    [...path, 'mcpServers'],
  ];
  const problems = runtimeTools.map((tool, index) => runtimeToolProblems(tool, [...ofTools, index], sandbox));
  return [
    ...duplicatesIn(runtimeTools, 'name', ofTools),
    ...duplicatesIn(mcpServers, 'id', ofServers),
    ...authProblems(mcpServers, ofServers),
    ...(await Promise.all(problems)).flat(),
  ];
}

/** A password is for basic, a token for all other types. */
const authProblems = (servers: readonly McpServer[], path: readonly PropertyKey[]): ErrorDetail[] =>
  servers.flatMap(({ auth }, index) => {
    const [unused, used] =
      auth?.type === 'basic' ? (['token', 'password'] as const) : (['password', 'token'] as const);
    if (auth?.[unused] === undefined) return [];
    const message = `The type ${auth.type} has no ${unused}. Send ${auth.type === 'none' ? 'none' : used}`;
    return [detailAt([...path, index, 'auth', unused], 'INVALID_VALUE', message)];
  });

async function runtimeToolProblems(
  { toolType, config, parametersSchema }: RuntimeTool,
  path: PropertyKey[],
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  const parsed = runtimeTypeOf(toolType)?.config.safeParse(config, { reportInput: true });
  if (parsed?.success === false) return detailsOf(parsed.error.issues, [...path, 'config']);
  const problems = await toolProblems({ toolType, config, parametersSchema }, sandbox);
  return problems.map((problem) => ({ ...problem, path: [...path, problem.path].join('.') }));
}
