import { randomUUID } from 'node:crypto';
import { StepError } from '../../core/errors/step-error.ts';
import { createRedactor } from '../../core/redaction/redactor.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { clientWithSecret, isClientRefusal } from './client-with-secret.ts';
import { connectionOpener, connectionSealer } from './connection-secrets.ts';
import { type McpConnection, mcpConnectionEntity } from './mcp-connection.ts';
import { sdkOAuth } from './sdk-oauth.ts';
import { storedTokens } from './stored-tokens.ts';

/** Longer than the requests of a refresh may take, so that a lease ends only if its process has crashed. */
const leaseMs = 30_000;

const parts = ['table:write', connectionSealer, connectionOpener] as const;

/** A refresh token may work only once: one process has the lease, and stores the new tokens before it ends the lease. */
export const tokenRefresher = /* @__PURE__ */ using(parts, (scope: Scope) => {
  const { table, now } = scope;
  const [seal, open] = [connectionSealer(scope), connectionOpener(scope)];
  const at = () => now().toISOString();

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
          ? { put: { ...current, ...changes(current), lease: null, updatedAt: at() } }
          : undefined,
      { consistent: true },
    );

  /** @returns undefined if another process has it, or has already refreshed. */
  async function takeLease({ id, tokensVersion }: McpConnection): Promise<string | undefined> {
    const leaseId = randomUUID();
    const until = new Date(now().getTime() + leaseMs).toISOString();
    const taken = await table.modify(
      mcpConnectionEntity,
      { id },
      (current) =>
        current.tokensVersion === tokensVersion && (current.lease === null || current.lease.until <= at())
          ? { put: { ...current, lease: { id: leaseId, until } } }
          : undefined,
      { consistent: true },
    );
    return taken?.lease?.id === leaseId ? leaseId : undefined;
  }

  async function newTokens(connection: McpConnection, signal: AbortSignal) {
    const { id, server, sealedTokens } = connection;
    const { refreshToken } = sealedTokens === null ? {} : await open(id, 'tokens', sealedTokens);
    if (refreshToken === undefined)
      throw new Expired('The access token does not work any more, and there is no refresh token');
    const client = await clientWithSecret(open, connection);
    try {
      const tokens = await (await sdkOAuth()).refreshOAuth({ server, client }, refreshToken, signal);
      return await storedTokens(seal, connection, tokens, now());
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
      const leaseId = await takeLease(connection);
      if (leaseId === undefined) return;
      try {
        const stored = await newTokens(connection, signal);
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
