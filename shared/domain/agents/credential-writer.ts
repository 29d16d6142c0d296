import { ServiceError } from '../../core/errors.ts';
import { forEachConcurrently } from '../../core/for-each-concurrently.ts';
import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentCredentialVault } from '../secrets/secret-vault.ts';
import type { Agent } from './agent.ts';
import { type Configs, credentialNamesOf } from './credential-places.ts';

type Credential = Agent['credentials'][number];
type Owner = Pick<Agent, 'credentials' | 'publishedCredentials'>;

const atOnce = 10;

/**
 * Stores the credentials of an agent: each value is a secret of its own. So a change that fails, or that a concurrent
 * one overtakes, leaves the stored ones as they are.
 */
export const credentialWriter = /* @__PURE__ */ using([agentCredentialVault], (scope: Scope) => {
  const vault = agentCredentialVault(scope);

  /** Deletes values that no item names, which would otherwise cost money. */
  const discard = (credentials: readonly Credential[]) =>
    forEachConcurrently(credentials, atOnce, ({ id }) =>
      vault
        .revoke(id)
        .catch((error) => log.warn('The credential of an agent could not be deleted', { id, error })),
    );

  return {
    /** Deletes the values. @throws if one cannot be deleted. */
    revoke: (credentials: readonly Credential[]) =>
      forEachConcurrently(credentials, atOnce, ({ id }) => vault.revoke(id)),

    /**
     * Runs a change of an agent that may be decided several times. @param change Gets the function that stores the
     * plaintexts and returns the credentials of the agent as it will be.
     */
    async during<T extends Owner>(
      change: (
        store: (
          before: Owner,
          after: Configs,
          plaintexts: ReadonlyMap<string, string>,
        ) => Promise<Credential[]>,
      ) => Promise<T>,
    ): Promise<T> {
      const made: (Credential & { value: string })[] = [];
      let previous: readonly Credential[] = [];
      let isStored = false;
      const store = async (before: Owner, after: Configs, plaintexts: ReadonlyMap<string, string>) => {
        previous = before.credentials;
        isStored = false;
        await forEachConcurrently([...plaintexts], atOnce, async ([name, value]) => {
          if (made.some((one) => one.name === name && one.value === value)) return;
          const id = scope.newId('cred');
          made.push({ name, value, id, valueId: await vault.store(id, value) });
        });
        isStored = true;
        const used = new Set([...credentialNamesOf(after), ...(before.publishedCredentials ?? [])]);
        const fresh = made.filter(({ name, value }) => plaintexts.get(name) === value);
        const kept = previous.filter(({ name }) => !fresh.some((one) => one.name === name));
        return [...kept, ...fresh.map(({ value: _value, ...credential }) => credential)].filter(({ name }) =>
          used.has(name),
        );
      };
      try {
        const after = await change(store);
        const ids = new Set(after.credentials.map(({ id }) => id));
        await discard([...previous, ...made].filter(({ id }) => !ids.has(id)));
        return after;
      } catch (error) {
        // After an error of the table the transaction may have succeeded.
        if (error instanceof ServiceError || !isStored) await discard(made);
        throw error;
      }
    },
  };
});
