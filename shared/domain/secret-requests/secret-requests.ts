import { unauthenticated } from '../../core/errors.ts';
import type { Intake } from '../../platform/auth/setup-link.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { Secret } from '../secrets/secret.ts';
import { secretStore } from '../secrets/secret-store.ts';
import { assertCurrent, keyedItems, keysOfItems, type SecretRequestItem } from './items.ts';
import { secretRequestManifest } from './manifest.ts';
import { setupLinkTokens } from './setup-link-tokens.ts';
import { isConfigured, keysOf, type SecretRequestSource } from './source.ts';

interface Asked {
  source: SecretRequestSource;
  returnUrl?: string | undefined;
}

/** Tells what an intake asks for, and takes the values: of all secrets by a permission, of a link's own by its token. */
export const secretRequests = /* @__PURE__ */ using([secretStore, setupLinkTokens], (scope: Scope) => {
  const secrets = secretStore(scope);
  const tokens = setupLinkTokens(scope);

  const pendingKeys = async () =>
    (await secrets.list()).filter(({ status }) => status === 'pending').map(({ key }) => key);

  /** Ends the link with its last value, which whoever else holds it at this moment shall not outrun. */
  function besideOf(intake: Intake, given: ReadonlySet<string>, known: ReadonlyMap<string, Secret>) {
    const isLast = intake.keys.every((key) => given.has(key) || isConfigured(known.get(key)));
    return [isLast ? tokens.end(intake) : tokens.keep(intake)];
  }

  return {
    async manifest(principal: Principal, asked: Asked) {
      const intake = await tokens.of(principal);
      const keys = (await keysOf(asked.source, intake, secrets)) ?? (await pendingKeys());
      return secretRequestManifest({ ...asked, intake, keys, secrets: await secrets.byKeys(keys) });
    },

    /** All of the values or none. @returns the manifest as it is then. */
    async submit(principal: Principal, asked: Asked & { items: SecretRequestItem[] }) {
      const intake = await tokens.of(principal);
      const allowed = await keysOf(asked.source, intake, secrets);
      const named = await keysOfItems(asked.items, secrets);
      const given = new Set(named.filter((key) => key !== undefined));
      const known = await secrets.byKeys([
        ...given.union(new Set([...(intake?.keys ?? []), ...(allowed ?? [])])),
      ]);
      const items = keyedItems(asked.items, { keys: named, allowed, known });
      assertCurrent(items, known, { replaces: !intake });
      const values = items.map(({ key, value, description }) => ({
        ...{ key, value, description },
        // Also of a link's: between this look and the write nobody's value is replaced.
        expectedVersion: known.get(key)?.version ?? 0,
      }));
      try {
        const beside = intake ? besideOf(intake, given, known) : [];
        const set = await secrets.setAll(principal, values, beside);
        const after = new Map([...known, ...set.map((secret) => [secret.key, secret] as const)]);
        return secretRequestManifest({ ...asked, intake, keys: allowed ?? [...given], secrets: after });
      } catch (error) {
        // The link was used up meanwhile, so it is like any other dead one.
        throw error instanceof ConditionFailed ? unauthenticated() : error;
      }
    },
  };
});
