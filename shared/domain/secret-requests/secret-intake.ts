import { unauthenticated } from '../../core/errors.ts';
import type { SetupLink } from '../../platform/auth/setup-link.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { Secret } from '../secrets/secret.ts';
import { secretStore } from '../secrets/secret-store.ts';
import { type IntakeItem, keyedItems, keysOfItems, refuseStale } from './items.ts';
import { intakeManifest } from './manifest.ts';
import { type IntakeSource, isConfigured, keysOf } from './source.ts';
import { intakeTokens } from './tokens.ts';

interface Asked {
  source: IntakeSource;
  returnUrl?: string | undefined;
}

/** Tells what an intake asks for, and takes the values: of all secrets by a permission, of a link's own by its token. */
export const secretIntake = /* @__PURE__ */ using([secretStore, intakeTokens], (scope: Scope) => {
  const secrets = secretStore(scope);
  const tokens = intakeTokens(scope);

  const pendingKeys = async () =>
    (await secrets.list()).filter(({ status }) => status === 'pending').map(({ key }) => key);

  /** Ends the link with its last value, which whoever else holds it at this moment shall not outrun. */
  function alsoWriteOf(intake: SetupLink, given: ReadonlySet<string>, known: ReadonlyMap<string, Secret>) {
    const isLast = intake.keys.every((key) => given.has(key) || isConfigured(known.get(key)));
    return [isLast ? tokens.end(intake) : tokens.keep(intake)];
  }

  return {
    async manifest(principal: Principal, asked: Asked) {
      const intake = await tokens.of(principal);
      const keys = (await keysOf(asked.source, intake, secrets)) ?? (await pendingKeys());
      return intakeManifest({ ...asked, intake, keys, secrets: await secrets.byKeys(keys) });
    },

    /** All of the values or none. @returns the manifest as it is then. */
    async submit(principal: Principal, asked: Asked & { items: IntakeItem[] }) {
      const intake = await tokens.of(principal);
      const allowed = await keysOf(asked.source, intake, secrets);
      const named = await keysOfItems(asked.items, secrets);
      const given = new Set(named.filter((key) => key !== undefined));
      const known = await secrets.byKeys([
        ...given.union(new Set([...(intake?.keys ?? []), ...(allowed ?? [])])),
      ]);
      const items = keyedItems(asked.items, { keys: named, allowed, known });
      refuseStale(items, known, { replaces: !intake });
      const values = items.map(({ key, value, description }) => ({
        ...{ key, value, description },
        // Also of a link's: between this look and the write nobody's value is replaced.
        expectedVersion: known.get(key)?.version ?? 0,
      }));
      try {
        const alsoWrite = intake ? alsoWriteOf(intake, given, known) : [];
        const set = await secrets.setAll(principal, values, alsoWrite);
        const after = new Map([...known, ...set.map((secret) => [secret.key, secret] as const)]);
        return intakeManifest({ ...asked, intake, keys: allowed ?? [...given], secrets: after });
      } catch (error) {
        // The link was used up meanwhile, so it is like any other dead one.
        throw error instanceof ConditionFailed ? unauthenticated() : error;
      }
    },
  };
});
