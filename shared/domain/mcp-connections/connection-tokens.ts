/**
 * The access tokens of MCP connections, refreshed when they are about to expire or a server refuses one.
 *
 * A refresh token may work only once. So one process acquires the lease of the connection, refreshes, and stores the new
 * tokens in the write that ends the lease; the others wait until the version of the tokens has changed. A process that crashes
 * in between may lose the refresh token: its lease ends after 30 seconds, the next refresh fails, and the connection becomes
 * `expired`, which only a person can mend with a new link. Only clients of MCP servers call it
 * (`shared/execution/open-ports.ts`); tokens are redacted in everything that is shown.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { StepError } from '../../core/errors/step-error.ts';
import { createRedactor } from '../../core/redaction/redactor.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import {
  clientWithSecret,
  connectionOpener,
  connectionSealer,
  isClientRefusal,
  sealTokens,
} from './connection-secrets.ts';
import {
  getConnectionStatus,
  isOfResource,
  type McpConnection,
  mcpConnectionEntity,
} from './mcp-connection.ts';
import { sdkOAuth } from './sdk-oauth.ts';

/** Longer than the requests of a refresh may take, so that a lease ends only if its process has crashed. */
const leaseMs = 30_000;

const parts = ['table:write', connectionSealer, connectionOpener] as const;

/** A refresh token may work only once: one process has the lease, and stores the new tokens before it ends the lease (D247). */
const tokenRefresher = /* @__PURE__ */ using(parts, (scope: Scope) => {
  const { table, now } = scope;
  const [seal, open] = [connectionSealer(scope), connectionOpener(scope)];
  const readNow = () => now().toISOString();

  /** Changes the connection while this process has its lease. */
  const change = (
    id: string,
    leaseId: string,
    changes: (current: McpConnection) => Partial<McpConnection>,
  ): Promise<McpConnection | undefined> =>
    table.modify(
      mcpConnectionEntity,
      { id },
      (current) =>
        current.lease?.id === leaseId
          ? { put: { ...current, ...changes(current), lease: null, updatedAt: readNow() } }
          : undefined,
      { consistent: true },
    );

  /** @returns undefined if another process has it, or has already refreshed. */
  async function acquireLease({ id, tokensVersion }: McpConnection): Promise<string | undefined> {
    const leaseId = randomUUID();
    const until = new Date(now().getTime() + leaseMs).toISOString();
    const taken = await table.modify(
      mcpConnectionEntity,
      { id },
      (current) =>
        current.tokensVersion === tokensVersion &&
        (current.lease === null || current.lease.until <= readNow())
          ? { put: { ...current, lease: { id: leaseId, until } } }
          : undefined,
      { consistent: true },
    );
    return taken?.lease?.id === leaseId ? leaseId : undefined;
  }

  async function fetchTokens(connection: McpConnection, signal: AbortSignal) {
    const { id, server, sealedTokens } = connection;
    const { refreshToken } = sealedTokens === null ? {} : await open(id, 'tokens', sealedTokens);
    if (refreshToken === undefined)
      throw new Expired('The access token does not work any more, and there is no refresh token');
    const client = await clientWithSecret(open, connection);
    try {
      const tokens = await (await sdkOAuth()).refreshOAuth({ server, client }, refreshToken, signal);
      return await sealTokens(seal, connection, tokens, now());
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      const secrets = Object.entries({ refreshToken, clientSecret: client.clientSecret });
      const { text } = createRedactor(
        secrets.filter((secret): secret is [string, string] => secret[1] !== undefined),
      );
      const message = text(error.message);
      if (!('oauthCode' in error)) throw new StepError(message, { retryable: error.retryable });
      throw new Expired(message, isClientRefusal(error));
    }
  }

  return {
    /** Does nothing while another process refreshes. The tokens of an authorization that has ended meanwhile stay. */
    async refresh(connection: McpConnection, signal: AbortSignal): Promise<void> {
      const { id } = connection;
      const leaseId = await acquireLease(connection);
      if (leaseId === undefined) return;
      try {
        const stored = await fetchTokens(connection, signal);
        await change(id, leaseId, ({ tokensVersion }) => ({ ...stored, tokensVersion: tokensVersion + 1 }));
      } catch (error) {
        const { isClientRefused, message } = error instanceof Expired ? error : {};
        await change(id, leaseId, ({ client }) =>
          message === undefined
            ? {}
            : {
                status: 'expired' as const,
                error: message,
                client: { ...client, isRefused: client.isRefused || isClientRefused === true },
              },
        );
        if (!(error instanceof Expired)) throw error;
      }
    },
  };
});

/** Only a person can authorize again. */
class Expired extends Error {
  readonly isClientRefused: boolean;

  constructor(message: string, isClientRefused = false) {
    super(message);
    this.isClientRefused = isClientRefused;
  }
}

/** A token that is about to expire is refreshed before it is sent. */
const marginMs = 30_000;

/** How long a request waits for another process that refreshes, and how often it looks. */
const waitMs = 20_000;
const pollMs = 250;

export interface OpenToken {
  accessToken: string;
  /** Which set of tokens it belongs to. */
  version: number;
  /** What must not be shown, by the names that the redactor shows. */
  secrets: ReadonlyMap<string, string>;
}

export type ConnectionTokens = ReturnType<typeof connectionTokens>;

/** The tokens of MCP connections, for requests to their servers alone. Never store or return them. */
export const connectionTokens = /* @__PURE__ */ using(
  ['table:write', connectionOpener, tokenRefresher],
  (scope: Scope) => {
    const { table, now } = scope;
    const open = connectionOpener(scope);
    const refresher = tokenRefresher(scope);
    const read = (id: string) => table.get(mcpConnectionEntity, { id }, { consistent: true });

    /** @throws StepError unless it has tokens, and the URL may get them. */
    async function findUsable(id: string, url: string): Promise<McpConnection & { sealedTokens: string }> {
      const connection = await read(id);
      if (!connection) throw new StepError(`There is no MCP connection ${id}. Name another in "auth"`);
      if (!isOfResource(url, connection.url)) {
        throw new StepError(
          `The MCP connection ${id} is for ${connection.url}, so its token is not sent to this URL`,
        );
      }
      const { sealedTokens } = connection;
      const status = getConnectionStatus(connection, now());
      if (status !== 'connected' || sealedTokens === null) throw createNotConnectedError(connection, status);
      return { ...connection, sealedTokens };
    }

    async function openTokens({ id, sealedTokens, tokensVersion }: Awaited<ReturnType<typeof findUsable>>) {
      const { accessToken, refreshToken } = await open(id, 'tokens', sealedTokens);
      const secrets = Object.entries({ accessToken, refreshToken }).flatMap(([name, value]) =>
        value === undefined ? [] : [[`${id}.${name}`, value] as const],
      );
      return { accessToken, version: tokensVersion, secrets: new Map(secrets) };
    }

    /** Tokens that are newer than a version. Of several processes one refreshes, and the others wait for it. */
    async function renewTokens(
      id: string,
      url: string,
      version: number,
      signal: AbortSignal,
    ): Promise<OpenToken> {
      for (const start = Date.now(); Date.now() - start < waitMs; ) {
        const connection = await findUsable(id, url);
        if (connection.tokensVersion !== version) return openTokens(connection);
        await refresher.refresh(connection, signal);
        const after = await findUsable(id, url);
        if (after.tokensVersion !== version) return openTokens(after);
        await pause(pollMs, undefined, { signal });
      }
      throw new StepError(`The tokens of the MCP connection ${id} take too long to be refreshed`, {
        retryable: true,
      });
    }

    return {
      /** @throws StepError that says what to do. */
      async open(id: string, url: string, signal: AbortSignal): Promise<OpenToken> {
        const connection = await findUsable(id, url);
        const { expiresAt, tokensVersion } = connection;
        const isOld = expiresAt !== null && Date.parse(expiresAt) - marginMs <= now().getTime();
        if (!isOld || !connection.canRefresh) return openTokens(connection);
        return renewTokens(id, url, tokensVersion, signal);
      },

      /** After the server has refused a token. @throws StepError that says what to do. */
      renew: renewTokens,

      /** Records scopes that the server demands, so that the next authorization asks for them. */
      async demand(id: string, scopes: readonly string[]): Promise<void> {
        await table.modify(mcpConnectionEntity, { id }, (current) => {
          const { demandedScopes: demanded } = current;
          const added = scopes.filter((scope) => !demanded.includes(scope)).slice(0, 50 - demanded.length);
          return added.length > 0
            ? { put: { ...current, demandedScopes: [...demanded, ...added] } }
            : undefined;
        });
      },
    };
  },
);

export const newLinkAdvice = (id: string) =>
  `create a new link with POST /v1/mcp-connections/${id}/authorize, and have a person open it`;

function createNotConnectedError({ id, error }: McpConnection, status: McpConnection['status']): StepError {
  const why = error === null ? '' : ` (${error})`;
  return new StepError(`The MCP connection ${id} is ${status}${why}: ${newLinkAdvice(id)}`);
}
