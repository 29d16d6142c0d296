import { secretStore } from '../../../shared/domain/secrets/secret-store.ts';
import { secretReader } from '../../../shared/domain/secrets/secret-vault.ts';
import { credentialPartition } from '../../../shared/platform/auth/api-key.ts';
import { hashKey } from '../../../shared/platform/auth/key-format.ts';
import { setupLinkEntity } from '../../../shared/platform/auth/setup-link.ts';
import { newSecret } from '../data/secrets.ts';
import { expectStatus } from '../flows/flows.ts';
import { callerWith, countingRuntime, type Tenant } from '../stack/stack.ts';

/** A setup link for these keys, with a caller that holds its token. */
export async function setupLink(tenant: Tenant, keys: string[], more: object = {}) {
  const body = { keys, ...more };
  const answer = await expectStatus(200, tenant.call('POST', '/v1/secrets/setup-url', { body }));
  const token = String(answer.url).split('#')[1] ?? '';
  return { ...answer, url: String(answer.url), token, call: callerWith(token) };
}

const scopeOf = ({ tenant }: Tenant) => countingRuntime().scopeOf(tenant);

/** Makes another moment a link’s last. */
export async function expireAt(tenant: Tenant, token: string, moment: Date): Promise<void> {
  const { table } = scopeOf(tenant);
  const set = { expiresAt: moment.toISOString() };
  await table.commit([table.writes.update(setupLinkEntity, { hash: hashKey(token) }, { set })]);
}

/** All that is stored of a link. */
export const storedLink = (tenant: Tenant, token: string) =>
  scopeOf(tenant).table.queryAll({ partition: credentialPartition(hashKey(token)) });

/** The secret of a key, of any status, with its value as it is in Secrets Manager. */
export async function storedSecret(tenant: Tenant, key: string) {
  const scope = scopeOf(tenant);
  const secret = (await secretStore(scope).byKeys([key])).get(key);
  const value = secret?.valueId ? await secretReader(scope).read(secret.id, secret.valueId) : undefined;
  return secret && { ...secret, value };
}

/** A secret made through the API: pending without a value. */
export const newKeyedSecret = (tenant: Tenant, key: string, value?: string) =>
  newSecret(tenant, { key, ...(value && { value }) });

export const revokeSecret = ({ call }: Tenant, id: string) =>
  expectStatus(200, call('DELETE', `/v1/secrets/${id}`));
