/**
 * Stores and removes the credentials of agents: values in Secrets Manager, each listed by an item of the table.
 *
 * A credential is listed before its value exists, so that every value can be found, counts for the limit, and can be removed
 * after a crash. `runChange` stores what a change needs, once however often it is decided; afterwards it deletes the values
 * that the agent no longer names, or, if the change failed, the new ones. `agent-editor.ts` and the removal of agents use it;
 * values are read by `agent-credentials.ts`.
 */

import { forEachConcurrently } from '../../../core/concurrency/map-concurrently.ts';
import { ServiceError } from '../../../core/errors/errors.ts';
import { log } from '../../../core/log.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { agentCredentialVault } from '../../secrets/secret-vault.ts';
import { assertWithinLimit } from '../../tenant-limits.ts';
import { type Agent, agentCredentialEntity, agentCredentialsPartition } from '../config/agent.ts';
import { type Configs, listCredentialNames } from './credential-places.ts';

type Credential = Agent['credentials'][number];
type Owner = Pick<Agent, 'id' | 'credentials' | 'publishedCredentials'>;

const atOnce = 10;

/** Each value is a secret of its own, so a change that fails or is overtaken leaves the stored ones as they are. */
export const credentialWriter = /* @__PURE__ */ using(
  ['table:write', 'table:delete', agentCredentialVault],
  (scope: Scope) => {
    const { table } = scope;
    const vault = agentCredentialVault(scope);

    async function revoke(credentials: readonly Credential[]): Promise<void> {
      await forEachConcurrently(credentials, atOnce, ({ id }) => vault.revoke(id));
      await table.removeAll(credentials.map(({ id }) => agentCredentialEntity.key({ id })));
    }

    /** Deletes values that no agent names, which would otherwise cost money. */
    const discard = (credentials: readonly Credential[]) =>
      revoke(credentials).catch((error) => {
        const ids = credentials.map(({ id }) => id);
        log.warn('Credentials of an agent could not be deleted', { ids, error });
      });

    /** @throws 409 if the tenant would have more credentials than it can have. */
    async function assertRoomFor(added: number): Promise<void> {
      if (added === 0) return;
      const count = await table.count({ partition: agentCredentialsPartition });
      assertWithinLimit('credentials of agents', count + added);
    }

    /** Lists the credential before its value exists, so that every value can be found and counts for the limit. */
    async function keep(agentId: string, value: string): Promise<Omit<Credential, 'name'>> {
      const id = scope.newId('cred');
      await table.commit([table.writes.insert(agentCredentialEntity, { id, agentId })]);
      return { id, valueId: await vault.store(id, value) };
    }

    return {
      /** Deletes the values. @throws if one cannot be deleted. */
      revoke,

      /** @param change May run several times. Its argument stores the plaintexts and returns the agent's credentials. */
      async runChange<T extends Owner>(
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
          const missing = [...plaintexts].filter(
            ([name, value]) => !made.some((one) => one.name === name && one.value === value),
          );
          await assertRoomFor(missing.filter(([name]) => !previous.some((one) => one.name === name)).length);
          await forEachConcurrently(missing, atOnce, async ([name, value]) => {
            made.push({ name, value, ...(await keep(before.id, value)) });
          });
          isStored = true;
          const used = new Set([...listCredentialNames(after), ...(before.publishedCredentials ?? [])]);
          const fresh = made.filter(({ name, value }) => plaintexts.get(name) === value);
          const kept = previous.filter(({ name }) => !fresh.some((one) => one.name === name));
          return [...kept, ...fresh.map(({ value: _value, ...credential }) => credential)].filter(
            ({ name }) => used.has(name),
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
  },
);
