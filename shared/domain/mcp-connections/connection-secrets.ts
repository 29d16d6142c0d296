import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { OAuthClient } from '../../adapters/mcp-oauth/oauth-server.ts';
import type { TokenSet } from '../../adapters/mcp-oauth/tokens.ts';
import { createLoadingCache } from '../../core/cache.ts';
import { rememberSecretValue } from '../../core/redaction/known-values.ts';
import { seal, unseal } from '../../platform/aws/seal.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { McpConnection } from './mcp-connection.ts';

const keyEnv = 'TEST_KEYS_KMS_KEY';

/** What is encrypted of a connection, each part by itself: one cannot take the place of another. */
const parts = {
  secret: z.object({ clientSecret: z.string() }),
  tokens: z.object({ accessToken: z.string(), refreshToken: z.string().optional() }),
  verifier: z.object({ codeVerifier: z.string() }),
} as const;

type Part = keyof typeof parts;
type Value<P extends Part> = z.infer<(typeof parts)[P]>;

const toContext = (tenant: string, connectionId: string, part: Part) => ({ tenant, connectionId, part });

const remember = (value: object) => {
  for (const text of Object.values(value)) if (typeof text === 'string') rememberSecretValue(text);
};

/** Encrypts parts of a connection, with the KMS key of test keys. */
export const connectionSealer = /* @__PURE__ */ using(
  ['mcp-connections:write'],
  ({ table: { tenant } }: Scope) =>
    async <P extends Part>(connectionId: string, part: P, value: Value<P>): Promise<string> => {
      remember(value);
      return seal(keyEnv, JSON.stringify(value), toContext(tenant, connectionId, part));
    },
);

const opened = createLoadingCache<string | undefined>({ entriesMax: 500, ttlMs: 600_000 });

/** Decrypts parts of a connection. Never store or return them. */
export const connectionOpener = /* @__PURE__ */ using(
  ['mcp-connections:read'],
  ({ table: { tenant } }: Scope) =>
    async <P extends Part>(connectionId: string, part: P, sealed: string): Promise<Value<P>> => {
      const context = toContext(tenant, connectionId, part);
      const name = createHash('sha256')
        .update(JSON.stringify([context, sealed]))
        .digest('base64');
      const text = await opened(name, () => unseal(keyEnv, sealed, context));
      if (text === undefined) throw new Error(`The ${part} of ${connectionId} cannot be decrypted`);
      const value = parts[part].parse(JSON.parse(text)) as Value<P>;
      remember(value);
      return value;
    },
);

export async function sealTokens(
  seal: ReturnType<typeof connectionSealer>,
  { id, server, grantedScopes }: Pick<McpConnection, 'id' | 'server' | 'grantedScopes'>,
  { accessToken, refreshToken, expiresInSeconds, scope }: TokenSet,
  now: Date,
) {
  // A response without a scope grants what was asked for, or leaves it as it was.
  const asked = grantedScopes.length > 0 ? grantedScopes : splitScopes(server.scope);
  const expiresAt =
    expiresInSeconds === undefined ? null : new Date(now.getTime() + expiresInSeconds * 1_000).toISOString();
  const tokens = { accessToken, ...(refreshToken !== undefined && { refreshToken }) };
  return {
    sealedTokens: await seal(id, 'tokens', tokens),
    canRefresh: refreshToken !== undefined,
    grantedScopes: scope === undefined ? asked : splitScopes(scope),
    expiresAt,
    updatedAt: now.toISOString(),
  };
}

const splitScopes = (scope = '') => scope.split(' ').filter((name) => name !== '');

type Open = ReturnType<typeof connectionOpener>;

/** The client of a connection with its secret. Never store or return it. */
export async function clientWithSecret(
  open: Open,
  { id, client, sealedSecret }: Pick<McpConnection, 'id' | 'client' | 'sealedSecret'>,
): Promise<OAuthClient> {
  const { authMethod } = client;
  const secret = sealedSecret === null ? {} : await open(id, 'secret', sealedSecret);
  return { clientId: client.id, ...secret, ...(authMethod !== null && { authMethod }) };
}

/** Whether the authorization server does not know the client, which has to be registered anew. */
export const isClientRefusal = (error: unknown) =>
  error instanceof Error &&
  'oauthCode' in error &&
  ['invalid_client', 'unauthorized_client'].includes(String(error.oauthCode));
