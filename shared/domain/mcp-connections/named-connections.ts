import { isPlain } from '../../adapters/templates/limits.ts';
import { type ErrorDetail, invalid } from '../../core/errors/errors.ts';
import { decode } from '../../platform/data/entity.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { OAuthAuth } from './connection-auth.ts';
import { isOfResource, mcpConnectionEntity } from './mcp-connection.ts';

/** An agent or a tool names a connection for a URL, which may be a template. */
export interface NamedConnection {
  connectionId: string;
  url: string;
  /** Where it names the connection. */
  path: string;
}

export function listToolConnections(config: Record<string, unknown>): NamedConnection[] {
  const { data } = OAuthAuth.safeParse(config.auth);
  return data ? [{ ...data, url: String(config.url), path: 'config.auth.connectionId' }] : [];
}

interface Server {
  url: string;
  auth?: { type: string; connectionId?: string | undefined } | undefined;
}

/** @param path Of the list of servers. */
export const connectionsOfServers = (
  servers: readonly Server[] = [],
  path: readonly PropertyKey[] = ['config', 'tools', 'mcpServers'],
): NamedConnection[] =>
  servers.flatMap(({ url, auth }, index) =>
    auth?.type === 'oauth' && auth.connectionId !== undefined
      ? [
          {
            connectionId: auth.connectionId,
            url,
            path: [...path, index, 'auth', 'connectionId'].map(String).join('.'),
          },
        ]
      : [],
  );

/** @throws 400 for a connection that is missing or for another URL. @param current Not checked: may have been deleted since. */
export async function assertConnections(
  table: TenantTable,
  named: readonly NamedConnection[],
  current: readonly NamedConnection[] = [],
): Promise<void> {
  const problems = await findConnectionProblems(table, named, current);
  if (problems.length > 0) throw invalid(problems);
}

/** What `assertConnections` refuses. */
export async function findConnectionProblems(
  table: TenantTable,
  named: readonly NamedConnection[],
  current: readonly NamedConnection[] = [],
): Promise<ErrorDetail[]> {
  const isKnown = ({ connectionId, url }: NamedConnection) =>
    current.some((one) => one.connectionId === connectionId && one.url === url);
  const added = named.filter((one) => !isKnown(one));
  if (added.length === 0) return [];
  const items = await table.getMany(
    added.map(({ connectionId: id }) => mcpConnectionEntity.key({ id })),
    { consistent: true },
  );
  return added.flatMap(({ path, url }, index): ErrorDetail[] => {
    const item = items[index];
    if (!item) return [{ path, code: 'NOT_FOUND', message: 'MCP connection not found' }];
    const { url: resource } = decode(mcpConnectionEntity, item);
    // The arguments of a call decide about the others: a run checks them.
    if (!isPlain(url) || isOfResource(url, resource)) return [];
    const message = `The connection is for ${resource}. The URL must be this address, or below it`;
    return [{ path, code: 'INVALID_VALUE', message }];
  });
}
