/**
 * Logs the command line in: a person allows a login in the console, then the program exchanges its code for an API key.
 * The code is valid for two minutes and at most as long as the person's session, works once, and needs the verifier of
 * its challenge (PKCE); a wrong verifier ends it. Only the hash of the code is stored. The key is created in the
 * transaction that removes the code, and both steps are audited.
 * `allow` stores whatever permissions it gets, and the key has them: the caller must check before that the person may
 * grant them (`assertGrantable`). `listCommandLinePermissions` says which ones the console offers.
 * `functions/api-keys/allow-login.ts` allows, `functions/public/redeem-login.ts` redeems, in the scope that
 * `findCodeScope` finds.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { notFound } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time.ts';
import { type ApiKey, credentialPartition } from '../../platform/auth/api-key.ts';
import { generateKey, hashKey, isWellFormedKey } from '../../platform/auth/key-format.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists } from '../../platform/data/writes.ts';
import { audit } from '../../platform/identity/audit.ts';
import { covers, type Permission } from '../../platform/identity/permissions.ts';
import { type Principal, toTenant } from '../../platform/identity/principal.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { apiKeyStore } from './api-key-store.ts';
import { newApiKey } from './new-api-key.ts';

const lifeMs = 2 * 60_000;

const hashVerifier = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/** Logins of the command line: a person allows one, then the program gets an API key for its code. */
export const commandLineLogins = /* @__PURE__ */ using(
  [apiKeyStore, 'table:write', 'table:delete'],
  (scope: Scope) => {
    const { table, now, newId } = scope;
    const apiKeys = apiKeyStore(scope);
    const decideRemoval = ({ hash }: CommandLineLogin) =>
      table.writes.remove(commandLineLoginEntity, { hash }, exists);

    /** A code that came with a wrong verifier reached somebody else, so that nobody can use it any more. */
    async function withdraw(login: CommandLineLogin): Promise<void> {
      log.warn('A login code came with a wrong verifier', { loginId: login.id });
      await table.commit([decideRemoval(login)]).catch(ignoreMissing);
    }

    return {
      /** @returns the code, which is not stored. It ends with the session of the person, at the latest. */
      async allow(
        principal: Principal,
        asked: Pick<CommandLineLogin, 'challenge' | 'host' | 'permissions'>,
      ): Promise<{ code: string; expiresAt: string }> {
        await apiKeys.assertRoom();
        const { userId, organizationId } = principal;
        const code = generateKey('login');
        const sessionEndsMs = (principal.expiresAt ?? Number.POSITIVE_INFINITY) * 1_000;
        const expiry = new Date(Math.min(now().getTime() + lifeMs, sessionEndsMs));
        const expiresAt = expiry.toISOString();
        const ttl = unixSeconds(expiry) + 1;
        const id = newId('login');
        const login = { ...asked, hash: hashKey(code), id, userId, organizationId, expiresAt, ttl };
        const details = { host: asked.host, permissions: asked.permissions, expiresAt };
        const event = audit(scope, principal, {
          action: 'command-line-login.allowed',
          targetId: id,
          details,
        });
        await table.commit([table.writes.insert(commandLineLoginEntity, login), event.write]);
        event.log();
        return { code, expiresAt };
      },

      /** Creates the key in the transaction that ends the code. @throws 404 for a wrong, used or expired code */
      async redeem(
        { code, codeVerifier }: { code: string; codeVerifier: string },
        sourceIp: string | null,
      ): Promise<{ apiKey: ApiKey; plainKey: string }> {
        const login = await loginOfCode(scope, code);
        if (!login || login.expiresAt <= now().toISOString()) throw notFound('Login');
        if (login.challenge !== hashVerifier(codeVerifier)) {
          await withdraw(login);
          throw notFound('Login');
        }
        await apiKeys.assertRoom();
        const { userId, organizationId, permissions, host } = login;
        const plainKey = generateKey('production');
        const fields = { userId, organizationId, permissions, name: `Command line on ${host}` };
        const apiKey = newApiKey({ newId }, plainKey, fields);
        const person = { userId, kind: 'session' as const, keyId: null, sourceIp };
        try {
          await apiKeys.create(person, apiKey, [decideRemoval(login)]);
        } catch (error) {
          throw error instanceof ConditionFailed ? notFound('Login') : error;
        }
        return { apiKey, plainKey };
      },
    };
  },
);

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ConditionFailed)) throw error;
}

/** What a person allowed: an API key for whoever has the code and the verifier. The table stores only the hash of the code. */
const CommandLineLogin = z.object({
  hash: z.string(),
  id: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  /** The SHA-256 of the verifier, as base64url (RFC 7636). */
  challenge: z.string(),
  host: z.string(),
  permissions: z.array(z.string()),
  expiresAt: z.string(),
  ttl: z.int(),
});
type CommandLineLogin = z.infer<typeof CommandLineLogin>;

/** Stored with the credentials of API keys: both map a hash to a tenant. */
const commandLineLoginEntity = defineEntity({
  type: 'commandLineLogin',
  schema: CommandLineLogin,
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'LOGIN' }),
});

/** The login of a code; undefined for a wrong or used one. */
async function loginOfCode(
  { table }: Pick<Scope, 'table'>,
  code: unknown,
): Promise<CommandLineLogin | undefined> {
  if (typeof code !== 'string' || !isWellFormedKey(code)) return undefined;
  return table.get(commandLineLoginEntity, { hash: hashKey(code) }, { consistent: true });
}

/** The scope of the tenant in which a person allowed a login. */
export async function findCodeScope(code: unknown, { scopeOf }: Runtime): Promise<Scope | undefined> {
  const login = await loginOfCode(scopeOf(''), code);
  return login && scopeOf(toTenant(login.userId, login.organizationId));
}

/** What the commands of the command line need. */
export const commandLinePermissions: readonly Permission[] = [
  'FLOWS:READ',
  'FLOWS:WRITE',
  'FLOWS:EXECUTE',
  'AGENTS:READ',
  'AGENTS:WRITE',
  'AGENTS:EXECUTE',
  'RECORDS:READ',
  'RECORDS:WRITE',
  'SECRETS:READ',
  'SECRETS:WRITE',
  'TOOLS:READ',
  'TOOLS:WRITE',
  'MODELS:READ',
  'MODELS:WRITE',
  'PRODUCTS:READ',
  'PRODUCTS:WRITE',
  'BUDGETS:READ',
  'BUDGETS:WRITE',
];

/** Those of them that a caller has, and can therefore grant. */
export const listCommandLinePermissions = (held: readonly string[]): Permission[] =>
  commandLinePermissions.filter((permission) => covers(held, permission));
