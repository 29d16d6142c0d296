/**
 * Authorizes an MCP connection by OAuth: begins when a person opens the link, and ends when the browser comes back.
 * Beginning stores the hashes of the state and of a token of the browser, and the sealed verifier; each opening
 * replaces the one before. At the end, state, browser token and link are used up by one conditional write before
 * anything else, so a callback works once and only in the browser that opened the link. Then the code is exchanged, and
 * the tokens are stored with an audit entry.
 * If that fails, or the process crashes, the connection keeps what it had before, and a new link is needed. What a
 * callback says is not shown: anyone can write it.
 * `functions/mcp-authorization` has the two endpoints; refreshing tokens is in `connection-tokens.ts`.
 */
import type { TokenSet } from '../../adapters/mcp-oauth/tokens.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { createRedactor } from '../../core/redaction/redactor.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { audit } from '../../platform/identity/audit.ts';
import type { Runtime } from '../../platform/runtime.ts';
import {
  clientWithSecret,
  connectionOpener,
  connectionSealer,
  isClientRefusal,
  sealTokens,
} from './connection-secrets.ts';
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
async function findLinkConnection({ table, now }: Scope, hash: string): Promise<McpConnection | undefined> {
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

/** What a browser brings back from an authorization server. Anyone can write it. */
export interface Callback {
  state?: string | undefined;
  code?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
  /** The token of the browser that opened the link. */
  browser: string | undefined;
}

export type Ending = 'connected' | 'denied' | 'failed' | 'expired';

const parts = ['table:write', connectionSealer, connectionOpener] as const;

/** Ends an authorization when a person comes back. A state works once, in the browser that opened the link. */
export const endAuthorization = /* @__PURE__ */ using(parts, (scope: Scope) => {
  const { table, now } = scope;
  const [seal, open] = [connectionSealer(scope), connectionOpener(scope)];

  /** The connection, if this request is the one that uses the link and the state up. */
  async function acquireConnection({
    state = '',
    browser = '',
  }: Callback): Promise<McpConnection | undefined> {
    const connection = await findLinkConnection(scope, readLinkHash(state));
    const { begun } = connection ?? {};
    if (!connection || !begun || begun.expiresAt <= now().toISOString()) return undefined;
    if (begun.stateHash !== hashToken(state) || begun.browserHash !== hashToken(browser)) return undefined;
    let isOurs = false;
    await table.modify(
      mcpConnectionEntity,
      { id: connection.id },
      (current) => {
        isOurs = current.begun?.stateHash === begun.stateHash;
        return isOurs ? { put: { ...current, link: null, begun: null } } : undefined;
      },
      { current: connection },
    );
    return isOurs ? connection : undefined;
  }

  async function exchangeCode(connection: McpConnection, callback: Callback, signal: AbortSignal) {
    const { id, server, begun } = connection;
    const { assertIssuer, finishOAuth } = await sdkOAuth();
    assertIssuer(server, callback.iss);
    if (callback.error !== undefined || !callback.code || !begun) throw createRefusal(callback.error);
    const [client, { codeVerifier }] = await Promise.all([
      clientWithSecret(open, connection),
      open(id, 'verifier', begun.sealedVerifier),
    ]);
    const { code, iss } = callback;
    try {
      const { redirectUrl } = begun;
      return await finishOAuth({ server, client }, { code, iss, codeVerifier, redirectUrl, signal });
    } catch (error) {
      const secrets = Object.entries({ code, codeVerifier, clientSecret: client.clientSecret ?? '' });
      throw error instanceof StepError ? redactRefusal(error, secrets) : error;
    }
  }

  async function connect(connection: McpConnection, tokens: TokenSet): Promise<void> {
    const { id, name, url, userId } = connection;
    const stored = await sealTokens(seal, { ...connection, grantedScopes: [] }, tokens, now());
    // Whoever has the link acts for the user who made it.
    const actor = { userId, kind: 'intake' as const, keyId: id, sourceIp: null };
    const details = { name, url, scopes: stored.grantedScopes };
    const event = audit(scope, actor, { action: 'mcp-connection.connected', targetId: id, details });
    const connected = {
      ...stored,
      status: 'connected' as const,
      error: null,
      demandedScopes: [],
      lease: null,
    };
    const change = (current: McpConnection) => ({
      put: { ...current, ...connected, tokensVersion: current.tokensVersion + 1 },
      alsoWrite: [event.write],
    });
    if (await table.modify(mcpConnectionEntity, { id }, change, { consistent: true })) event.log();
  }

  /** What a connection had before stays. */
  const fail = ({ id }: McpConnection, error: StepError) =>
    table.modify(mcpConnectionEntity, { id }, (current) => {
      const status = current.status === 'connected' ? current.status : ('failed' as const);
      const isRefused = current.client.isRefused || isClientRefusal(error);
      const client = { ...current.client, isRefused };
      return { put: { ...current, status, client, error: error.message, updatedAt: now().toISOString() } };
    });

  return async (callback: Callback, signal: AbortSignal): Promise<Ending> => {
    const connection = await acquireConnection(callback);
    if (!connection) return 'expired';
    try {
      await connect(connection, await exchangeCode(connection, callback, signal));
      return 'connected';
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      await fail(connection, error);
      return callback.error === 'access_denied' ? 'denied' : 'failed';
    }
  };
});

/** The words of a callback are not shown: anyone can write them. */
function createRefusal(error: string | undefined): StepError {
  if (error === 'access_denied')
    return new StepError('The person, or the authorization server, denied access');
  const isCode = error !== undefined && /^[a-z_]{1,60}$/.test(error);
  return new StepError(
    isCode
      ? `The authorization server answered ${error}`
      : 'The authorization server answered neither with a code nor with an error',
  );
}

function redactRefusal(error: StepError, secrets: [string, string][]): StepError {
  error.message = createRedactor(secrets.filter(([, value]) => value !== '')).text(error.message);
  return error;
}
