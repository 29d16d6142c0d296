import { unauthenticated } from '../../core/errors/errors.ts';
import type { SetupLink } from '../../platform/auth/setup-link.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { Secret } from '../secrets/secret.ts';
import { secretStore } from '../secrets/secret-store.ts';
import { addKeys, assertCurrent, listItemKeys, type SecretRequestItem } from './items.ts';
import { toManifest } from './manifest.ts';
import { setupLinkTokens } from './setup-link-tokens.ts';
import { isConfigured, listSourceKeys, type SecretRequestSource } from './source.ts';

interface SecretRequest {
  source: SecretRequestSource;
  returnUrl?: string | undefined;
}

/** A permission allows all secrets, a setup link only its own. (The API calls this an intake.) */
export const secretRequests = /* @__PURE__ */ using([secretStore, setupLinkTokens], (scope: Scope) => {
  const secrets = secretStore(scope);
  const tokens = setupLinkTokens(scope);

  const listPendingKeys = async () =>
    (await secrets.list()).filter(({ status }) => status === 'pending').map(({ key }) => key);

  /** The last value ends the link in the same transaction, so that no concurrent request can use it again. */
  function createTokenWrites(
    intake: SetupLink,
    sentKeys: ReadonlySet<string>,
    secretsByKey: ReadonlyMap<string, Secret>,
  ) {
    const isLast = intake.keys.every((key) => sentKeys.has(key) || isConfigured(secretsByKey.get(key)));
    return [isLast ? tokens.end(intake) : tokens.keep(intake)];
  }

  return {
    async manifest(principal: Principal, asked: SecretRequest) {
      const intake = await tokens.findSetupLink(principal);
      const keys = (await listSourceKeys(asked.source, intake, secrets)) ?? (await listPendingKeys());
      return toManifest({ ...asked, intake, keys, secrets: await secrets.byKeys(keys) });
    },

    /** Stores all values or none. @returns the manifest afterwards. */
    async submit(principal: Principal, asked: SecretRequest & { items: SecretRequestItem[] }) {
      const intake = await tokens.findSetupLink(principal);
      const allowed = await listSourceKeys(asked.source, intake, secrets);
      const named = await listItemKeys(asked.items, secrets);
      const sentKeys = new Set(named.filter((key) => key !== undefined));
      const secretsByKey = await secrets.byKeys([
        ...sentKeys.union(new Set([...(intake?.keys ?? []), ...(allowed ?? [])])),
      ]);
      const items = addKeys(asked.items, { keys: named, allowed, secrets: secretsByKey });
      assertCurrent(items, secretsByKey, { replaces: !intake });
      const values = items.map(({ key, value, description }) => ({
        key,
        value,
        description,
        // Also for links: prevents replacing a value that was set since the read.
        expectedVersion: secretsByKey.get(key)?.version ?? 0,
      }));
      try {
        const alsoWrite = intake ? createTokenWrites(intake, sentKeys, secretsByKey) : [];
        const set = await secrets.setAll(principal, values, alsoWrite);
        const after = new Map([...secretsByKey, ...set.map((secret) => [secret.key, secret] as const)]);
        return toManifest({ ...asked, intake, keys: allowed ?? [...sentKeys], secrets: after });
      } catch (error) {
        // The link was used up by a concurrent request, so it is invalid like any other.
        throw error instanceof ConditionFailed ? unauthenticated() : error;
      }
    },
  };
});
