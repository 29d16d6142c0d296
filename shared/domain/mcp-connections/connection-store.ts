/**
 * The connections of a tenant to MCP servers that want OAuth: created here, authorized by a person through a link.
 *
 * Creating discovers the authorization server, registers this service there and makes a link; nothing is stored if that fails.
 * A new link replaces the one before, and the tokens stay until somebody has authorized anew. Secrets are encrypted before
 * they are stored, and are never decrypted here. Opening the link and coming back are in `authorization.ts`, the tokens in
 * `connection-tokens.ts`.
 */

import { mcpPort } from '../../adapters/mcp-client/mcp-adapter.ts';
import type { OAuthClient } from '../../adapters/mcp-oauth/oauth-server.ts';
import type { PreparedAuthorization } from '../../adapters/mcp-oauth/prepare.ts';
import { unprocessable, upstreamFailed } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { plainStart } from '../../core/text.ts';
import { using } from '../../platform/aws/uses.ts';
import { type CursorPagination, type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { assertWithinLimit } from '../tenant-limits.ts';
import { callbackPath, clientMetadataPath } from './connection-paths.ts';
import { connectionSealer } from './connection-secrets.ts';
import {
  createLink,
  type McpConnection,
  mcpConnectionEntity,
  mcpConnectionsPartition,
  type ShownConnection,
} from './mcp-connection.ts';

export interface NewConnection {
  url: string;
  name: string;
  scopes: string[] | null;
  clientId?: string | undefined;
  clientSecret?: string | undefined;
}

/** A connection, and the token of the link to it, which is not stored. */
export interface Linked {
  connection: McpConnection;
  token: string;
}

/** The MCP connections of a tenant. It encrypts, and cannot decrypt. */
export const mcpConnectionStore = /* @__PURE__ */ using(
  ['table:write', 'table:delete', connectionSealer],
  (scope: Scope) => {
    const { table, now, newId } = scope;
    const seal = connectionSealer(scope);
    const sealSecret = async (id: string, clientSecret: string | undefined) =>
      clientSecret === undefined ? null : seal(id, 'secret', { clientSecret });
    const createAudit = (principal: Principal, action: string, { id, name, url }: McpConnection) =>
      audit(scope, principal, { action: `mcp-connection.${action}`, targetId: id, details: { name, url } });

    async function get(id: string): Promise<McpConnection> {
      return table.find(mcpConnectionEntity, { id }, { consistent: true });
    }

    return {
      get,

      async list(
        query: CursorQuery,
      ): Promise<{ connections: ShownConnection[]; pagination: CursorPagination }> {
        const source = { partition: mcpConnectionsPartition, index: 1 as const, kind: 'mcpconn' as const };
        const { rows, pagination } = await cursorPage(table, source, query);
        return { connections: rows as unknown as ShownConnection[], pagination };
      },

      /** @throws 409 if the tenant can have no more; 422, 502 */
      async create(principal: Principal, input: NewConnection, asking: ConnectOptions): Promise<Linked> {
        const { url, name, scopes, clientId, clientSecret } = input;
        const count = await table.count({ partition: mcpConnectionsPartition, index: 1 });
        assertWithinLimit('MCP connections', 1 + count);
        const client = clientId === undefined ? undefined : { clientId, clientSecret, isGiven: true };
        const wanted = { url, scopes, demandedScopes: [], client };
        const prepared = await prepareConnection(table.tenant, wanted, asking);
        const id = newId('mcpconn');
        const at = getIdCreatedAt(id);
        const { token, link, write } = createLink(scope, id);
        const { userId, organizationId } = principal;
        const connection: McpConnection = {
          id,
          revision: 1,
          userId,
          organizationId,
          name,
          url,
          scopes,
          link,
          demandedScopes: [],
          grantedScopes: [],
          status: 'pending',
          error: null,
          expiresAt: null,
          canRefresh: false,
          server: prepared.server,
          client: prepared.client,
          sealedSecret: await sealSecret(id, prepared.clientSecret),
          sealedTokens: null,
          tokensVersion: 0,
          lease: null,
          begun: null,
          createdAt: at,
          updatedAt: at,
        };
        const event = createAudit(principal, 'created', connection);
        await table.commit([table.writes.insert(mcpConnectionEntity, connection), write, event.write]);
        event.log();
        return { connection, token };
      },

      /** Makes a new link; the one before ends. The tokens stay until somebody has authorized anew. @throws 404, 409, 422, 502 */
      async authorize(
        principal: Principal,
        id: string,
        input: { scopes?: string[] | null | undefined },
        asking: ConnectOptions,
      ): Promise<Linked> {
        const before = await get(id);
        const { scopes = before.scopes } = input;
        const client = findReusableClient(before, asking.baseUrl, now());
        const wanted = { url: before.url, scopes, demandedScopes: before.demandedScopes, client };
        const { clientSecret, ...prepared } = await prepareConnection(table.tenant, wanted, asking);
        const isKnown = client !== undefined && prepared.client.id === before.client.id;
        const secret = isKnown ? before.sealedSecret : await sealSecret(id, clientSecret);
        const { token, link, write } = createLink(scope, id);
        const event = createAudit(principal, 'link-created', before);
        const connection = await table.change(
          mcpConnectionEntity,
          { id },
          (current) => {
            const updatedAt = now().toISOString();
            const after = {
              ...current,
              ...prepared,
              scopes,
              sealedSecret: secret,
              link,
              begun: null,
              updatedAt,
            };
            return { put: after, alsoWrite: [write, event.write] };
          },
          { consistent: true },
        );
        event.log();
        return { connection, token };
      },

      /** Its tokens are gone at once. @throws 404, 409 */
      async remove(principal: Principal, id: string): Promise<void> {
        const event = createAudit(principal, 'deleted', await get(id));
        const removal = { remove: true as const, alsoWrite: [event.write] };
        await table.change(mcpConnectionEntity, { id }, () => removal);
        event.log();
      },
    };
  },
);

interface ConnectionRequest {
  url: string;
  scopes: string[] | null;
  demandedScopes: readonly string[];
  client: (OAuthClient & { issuer?: string; isGiven: boolean }) | undefined;
}

/** The address of this service, and when to stop. */
interface ConnectOptions {
  baseUrl: string;
  signal: AbortSignal;
}

/** Discovers the authorization server and registers this service there. @throws 422 with what is wrong, 502 */
async function prepareConnection(
  tenant: string,
  { url, scopes, demandedScopes, client }: ConnectionRequest,
  { baseUrl, signal }: ConnectOptions,
): Promise<Pick<McpConnection, 'server' | 'client'> & { clientSecret: string | undefined }> {
  const redirectUrl = baseUrl + callbackPath;
  const { prepareOAuth } = await import('../../adapters/mcp-oauth/prepare.ts');
  const preparation = {
    url,
    redirectUrl,
    client,
    signal,
    clientMetadataUrl: baseUrl.startsWith('https://') ? baseUrl + clientMetadataPath : undefined,
    scope: scopes?.join(' '),
    moreScope: demandedScopes.join(' ') || undefined,
  };
  const prepared = await prepareOAuth(preparation, mcpPort(tenant)).catch((error) => {
    throw error instanceof StepError ? toRefusal(error) : error;
  });
  return {
    server: prepared.server,
    client: toClient(prepared, redirectUrl),
    clientSecret: prepared.client.clientSecret,
  };
}

const toClient = (
  { client, clientKind: kind, server }: PreparedAuthorization,
  redirectUrl: string,
): McpConnection['client'] => ({
  kind,
  id: client.clientId,
  issuer: server.metadata.issuer,
  redirectUrl,
  authMethod: client.authMethod ?? null,
  secretExpiresAt: client.secretExpiresAt ?? 0,
  isRefused: false,
});

const toRefusal = ({ retryable, message }: StepError) => {
  const words = plainStart(message, 1_000);
  return retryable
    ? upstreamFailed(words)
    : unprocessable({ path: 'url', code: 'UNPROCESSABLE', message: words });
};

/** The client of an earlier authorization, unless it has to be registered anew. */
function findReusableClient({ client }: McpConnection, baseUrl: string, now: Date) {
  const { kind, id: clientId, issuer, redirectUrl, authMethod, secretExpiresAt, isRefused } = client;
  const isGiven = kind === 'given';
  const isOver = secretExpiresAt > 0 && secretExpiresAt * 1_000 <= now.getTime();
  const isElsewhere = redirectUrl !== baseUrl + callbackPath;
  if (!isGiven && (kind === 'metadata' || isOver || isRefused || isElsewhere)) return undefined;
  return { clientId, issuer, isGiven, ...(authMethod !== null && { authMethod }), secretExpiresAt };
}
