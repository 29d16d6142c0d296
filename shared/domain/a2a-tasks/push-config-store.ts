import { conflict, notFound } from '../../core/errors/errors.ts';
import { decrypt, encrypt } from '../../platform/aws/kms.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import {
  checkPushConfig,
  configsMax,
  type GivenPushConfig,
  type PushConfig,
  type PushSecrets,
} from './push-config.ts';
import { type A2aTask, a2aTaskEntity } from './task.ts';
import { a2aTaskStore, type TaskOwner } from './task-store.ts';

const keyEnv = 'TEST_KEYS_KMS_KEY';

interface Place {
  taskId: string;
  configId: string;
}

const toContext = (tenant: string, { taskId, configId }: Place) => ({ tenant, taskId, configId });

/** Encrypts the secrets of a config for its task, with the KMS key of test keys. @returns null if there are none. */
const pushSealer = /* @__PURE__ */ using(
  ['push-secrets:write'],
  ({ table: { tenant } }: Scope) =>
    async (place: Place, secrets: PushSecrets): Promise<string | null> =>
      secrets.token === '' && secrets.credentials === ''
        ? null
        : encrypt(keyEnv, JSON.stringify(secrets), toContext(tenant, place)),
);

/** Decrypts the secrets of a config. @returns undefined for those of another config. Never store or return them. */
export const pushOpener = /* @__PURE__ */ using(
  ['push-secrets:read'],
  ({ table: { tenant } }: Scope) =>
    async (place: Place, sealed: string | null): Promise<PushSecrets | undefined> => {
      if (sealed === null) return { token: '', credentials: '' };
      const text = await decrypt(keyEnv, sealed, toContext(tenant, place));
      return text === undefined ? undefined : (JSON.parse(text) as PushSecrets);
    },
);

const attemptsMax = 5;

/** Where callers want to be told of their tasks. Each method throws 404 also for the task of another caller. */
export const pushConfigStore = /* @__PURE__ */ using(
  ['table:write', a2aTaskStore, pushSealer],
  (scope: Scope) => {
    const { table, newId } = scope;
    const { find } = a2aTaskStore(scope);
    const seal = pushSealer(scope);

    /** Reads, changes and writes the list, again if somebody changed it in between. */
    async function change(
      owner: TaskOwner,
      taskId: string,
      to: (configs: readonly PushConfig[]) => readonly PushConfig[],
    ): Promise<A2aTask> {
      for (let attempt = 1; attempt <= attemptsMax; attempt++) {
        const task = await find(owner, taskId);
        const configs = task.pushConfigs;
        const isSame =
          configs === undefined
            ? { expression: 'attribute_exists(PK) AND attribute_not_exists(#pushConfigs)' }
            : { expression: '#pushConfigs = :seen', values: { seen: JSON.stringify(configs) } };
        const set = { pushConfigs: JSON.stringify(to(configs ?? [])) };
        const write = table.writes.update(a2aTaskEntity, task, { set }, isSame);
        const changed = await table.updateAndGet(a2aTaskEntity, write).catch(onConditionFailed(undefined));
        if (changed) return changed;
      }
      throw conflict('The configs of the task keep changing. Try again');
    }

    return {
      /** A config with its secrets encrypted, for a task that may not exist yet. @throws 400 */
      async seal(taskId: string, input: GivenPushConfig): Promise<PushConfig> {
        const { scheme } = checkPushConfig(input);
        const { url, version, token, authentication } = input;
        const id = input.id || (version === '0.3' ? taskId : newId('pushcfg'));
        const secrets = { token, credentials: authentication?.credentials ?? '' };
        return { id, url, version, scheme, sealed: await seal({ taskId, configId: id }, secrets) };
      },

      /** Replaces the one with the same id. @throws 409 if there are too many. */
      add: (owner: TaskOwner, taskId: string, config: PushConfig): Promise<A2aTask> =>
        change(owner, taskId, (configs) => {
          const others = configs.filter(({ id }) => id !== config.id);
          if (others.length < configsMax) return [...others, config];
          throw conflict(`A task has at most ${configsMax} push notification configs`);
        }),

      list: async (owner: TaskOwner, taskId: string): Promise<readonly PushConfig[]> =>
        (await find(owner, taskId)).pushConfigs ?? [],

      /** @throws 404 */
      async get(owner: TaskOwner, taskId: string, id: string): Promise<PushConfig> {
        const found = (await this.list(owner, taskId)).find((config) => config.id === id);
        if (!found) throw notFound('Task push notification config');
        return found;
      },

      /** One that is not there is deleted already. */
      async remove(owner: TaskOwner, taskId: string, id: string): Promise<void> {
        const configs = await this.list(owner, taskId);
        if (!configs.some((config) => config.id === id)) return;
        await change(owner, taskId, (current) => current.filter((config) => config.id !== id));
      },
    };
  },
);
