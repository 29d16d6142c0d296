import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { type ErrorDetail, toDetail } from '../../core/errors/errors.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { toErrorDetails } from '../../platform/http/validation.ts';
import type { Permission } from '../../platform/identity/permissions.ts';
import { findDuplicates } from '../duplicates.ts';
import type { McpServer } from '../flows/steps/mcp-server.ts';
import { type RuntimeTool, readBuiltinId } from '../flows/steps/tool-reference.ts';
import { findBuiltinTool } from './builtin/index.ts';
import { findToolProblems } from './check-tool.ts';
import { readTools } from './tool-store.ts';
import { getToolType } from './tool-types/index.ts';
import { findRuntimeType } from './tool-types/runtime-types.ts';

export interface OwnTools {
  runtimeTools?: readonly RuntimeTool[] | undefined;
  mcpServers?: readonly McpServer[] | undefined;
}

/** What the schemas of runtime tools and MCP servers do not check. @param path Of the object with both lists. */
export async function findOwnToolProblems(
  { runtimeTools = [], mcpServers = [] }: OwnTools,
  path: readonly PropertyKey[],
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  const [ofTools, ofServers] = [
    [...path, 'runtimeTools'],
    [...path, 'mcpServers'],
  ];
  const problems = runtimeTools.map((tool, index) =>
    findRuntimeToolProblems(tool, [...ofTools, index], sandbox),
  );
  return [
    ...findDuplicates(runtimeTools, 'name', ofTools),
    ...findDuplicates(mcpServers, 'id', ofServers),
    ...findAuthProblems(mcpServers, ofServers),
    ...(await Promise.all(problems)).flat(),
  ];
}

/** A password is for basic, a connection for oauth, a token for all other types. */
const findAuthProblems = (servers: readonly McpServer[], path: readonly PropertyKey[]): ErrorDetail[] =>
  servers.flatMap(({ auth }, index) => {
    if (!auth) return [];
    const at = [...path, index, 'auth'];
    const used = memberOf[auth.type];
    const unused = (['token', 'password', 'connectionId'] as const).filter((member) => member !== used);
    const problems = unused
      .filter((member) => auth[member] !== undefined)
      .map((member) => {
        const message = `The type ${auth.type} has no ${member}. Send ${used ?? 'none'}`;
        return toDetail([...at, member], 'INVALID_VALUE', message);
      });
    if (auth.type !== 'oauth' || auth.connectionId !== undefined) return problems;
    const missing = 'The type oauth needs a connection, from POST /v1/mcp-connections';
    return [...problems, toDetail([...at, 'connectionId'], 'MISSING_REQUIRED_FIELD', missing)];
  });

const memberOf = {
  api_key: 'token',
  bearer: 'token',
  custom_header: 'token',
  basic: 'password',
  oauth: 'connectionId',
  none: undefined,
} as const;

async function findRuntimeToolProblems(
  { toolType, config, parametersSchema }: RuntimeTool,
  path: PropertyKey[],
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  const parsed = findRuntimeType(toolType)?.config.safeParse(config, { reportInput: true });
  if (parsed?.success === false) return toErrorDetails(parsed.error.issues, [...path, 'config']);
  const problems = await findToolProblems({ toolType, config, parametersSchema }, sandbox);
  return problems.map((problem) => ({ ...problem, path: [...path, problem.path].join('.') }));
}

/** What the tools take that an agent or steps name and define: nothing if there are none. */
export async function permissionsToRun(
  scope: Pick<Scope, 'table'>,
  { ids, runtimeTools = [], mcpServers = [] }: OwnTools & { ids: readonly string[] },
): Promise<Permission[]> {
  if (ids.length + runtimeTools.length + mcpServers.length === 0) return [];
  const ofTypes = runtimeTools.map(({ toolType }) => findRuntimeType(toolType)?.permission);
  return [
    'TOOLS:EXECUTE',
    ...ofTypes.filter((permission) => permission != null),
    ...(await listToolPermissions(scope, ids)),
  ];
}

/** What running these tools takes in addition to TOOLS:EXECUTE. Tools that do not exist take nothing: they fail. */
async function listToolPermissions(
  scope: Pick<Scope, 'table'>,
  ids: readonly string[],
): Promise<Set<Permission>> {
  const builtin = ids.flatMap((id) => readBuiltinId(id) ?? []);
  const stored = await readTools(scope, [...new Set(ids.filter((id) => readBuiltinId(id) === undefined))]);
  const permissions = [
    ...builtin.map((id) => findBuiltinTool(id)?.permission),
    ...stored.map(({ toolType }) => getToolType(toolType).permission),
  ];
  return new Set(permissions.filter((permission) => permission != null));
}
