import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { connectionSealer } from './connection-secrets.ts';
import {
  generateToken,
  hashToken,
  type McpConnection,
  mcpConnectionEntity,
  mcpLinkEntity,
} from './mcp-connection.ts';
import { sdkOAuth } from './sdk-oauth.ts';

/** How long a person may take at the authorization server. */
const authorizingMs = 30 * 60_000;

/** The hash of the link that a state belongs to; blank for what cannot be a state. */
export const readLinkHash = (state: string) => /^([0-9a-f]{64})\./.exec(state)?.[1] ?? '';

/** The scope of the tenant that a link belongs to. An unknown one leads to no tenant, in which nothing is found. */
export const authorizationLinkScope = /* @__PURE__ */ using(
  ['table:read'],
  async (hash: string, runtime: Runtime): Promise<Scope> => {
    const nobody = runtime.scopeOf('');
    const link = await nobody.table.get(mcpLinkEntity, { hash }, { consistent: true });
    return link ? runtime.scopeOf(link.tenant) : nobody;
  },
);

/** The connection of a link that has not been used, replaced or expired. */
export async function findLinkConnection(
  { table, now }: Scope,
  hash: string,
): Promise<McpConnection | undefined> {
  const link = await table.get(mcpLinkEntity, { hash }, { consistent: true });
  if (link?.tenant !== table.tenant) return undefined;
  const id = link.connectionId;
  const connection = await table.get(mcpConnectionEntity, { id }, { consistent: true });
  const isValid = connection?.link?.hash === hash && connection.link.expiresAt > now().toISOString();
  return isValid ? connection : undefined;
}

/** Begins an authorization when a person opens a link. Each opening replaces the one before, until one has ended. */
export const beginAuthorization = /* @__PURE__ */ using(['table:write', connectionSealer], (scope: Scope) => {
  const { table, now } = scope;
  const seal = connectionSealer(scope);

  /** @param browser A token of the browser, which it has to send again. @returns where to authorize, if the link is valid */
  return async (token: string, browser: string): Promise<string | undefined> => {
    const linkHash = hashToken(token);
    const connection = await findLinkConnection(scope, linkHash);
    if (!connection) return undefined;
    const { id, server, client } = connection;
    const state = `${linkHash}.${generateToken()}`;
    const { redirectUrl } = client;
    const oauth = { server, client: { clientId: client.id } };
    const { url, codeVerifier } = await (await sdkOAuth()).beginOAuth(oauth, { redirectUrl, state });
    const begun = {
      stateHash: hashToken(state),
      browserHash: hashToken(browser),
      redirectUrl,
      sealedVerifier: await seal(id, 'verifier', { codeVerifier }),
      expiresAt: new Date(now().getTime() + authorizingMs).toISOString(),
    };
    const changed = await table.modify(
      mcpConnectionEntity,
      { id },
      (current) => (current.link?.hash === linkHash ? { put: { ...current, begun } } : undefined),
      { current: connection },
    );
    return changed?.begun?.stateHash === begun.stateHash ? url : undefined;
  };
});
