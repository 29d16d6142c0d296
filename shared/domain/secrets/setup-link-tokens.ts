import { unauthenticated } from '../../core/errors/errors.ts';
import { zeroCounters } from '../../platform/auth/api-key.ts';
import { generateKey, hashKey } from '../../platform/auth/key-format.ts';
import { type SetupLink, setupLinkEntity } from '../../platform/auth/setup-link.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists } from '../../platform/data/writes.ts';
import { audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';

const lifeMs = 24 * 3_600_000;

/** The tokens of setup links. Each allows setting the values of its own keys only. */
export const setupLinkTokens = /* @__PURE__ */ using(['table:write', 'table:delete'], (scope: Scope) => {
  const { table, now, newId } = scope;
  return {
    /** @returns the token, which is not stored. */
    async issue(principal: Principal, keys: string[], context: SetupLink['context']): Promise<string> {
      const { userId, organizationId } = principal;
      const token = generateKey('setup-link');
      const createdAt = now();
      const expiresAt = new Date(createdAt.getTime() + lifeMs);
      const intake: SetupLink = {
        hash: hashKey(token),
        id: newId('setup'),
        userId,
        organizationId,
        keys,
        context,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        ttl: Math.ceil(expiresAt.getTime() / 1000),
        ...zeroCounters,
      };
      const auditEvent = audit(scope, principal, {
        action: 'secret.setup-link-created',
        targetId: intake.id,
        details: { keys, context, expiresAt: intake.expiresAt },
      });
      await table.commit([table.writes.insert(setupLinkEntity, intake), auditEvent.write]);
      auditEvent.log();
      return token;
    },

    /** The request that the caller's token allows; undefined for callers with a permission. */
    async findSetupLink({ kind, hash }: Principal): Promise<SetupLink | undefined> {
      if (kind !== 'intake' || hash === null) return;
      const intake = await table.get(setupLinkEntity, { hash }, { consistent: true });
      // Used up by a concurrent request.
      if (!intake) throw unauthenticated();
      return intake;
    },

    /** `end` invalidates the token; `keep` requires that it still exists. */
    end: ({ hash }: SetupLink) => table.writes.remove(setupLinkEntity, { hash }, exists),
    keep: ({ hash }: SetupLink) => table.writes.check(setupLinkEntity, { hash }, exists),
  };
});
