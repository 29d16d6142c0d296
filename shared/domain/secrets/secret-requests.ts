/**
 * Lets a person enter the values of requested secrets, by a permission or by a setup link. (The API calls this an
 * intake.)
 * A link is for its own keys only, cannot replace a value, and ends in the transaction that stores the last missing
 * one; a permission is for all secrets. All values of a request are stored or none: each write has the condition that
 * the secret still has the version that was read.
 * Problems are collected and reported by the path of the item, before anything is written. The manifest says which
 * values are missing and never shows one.
 * `functions/secrets` has the endpoints; tokens of links are in `setup-link-tokens.ts`, secrets in `domain/secrets`.
 */
import * as z from 'zod';
import type { DetailCode } from '../../core/errors/error-codes.ts';
import {
  conflict,
  type ErrorDetail,
  hasCode,
  invalid,
  notFound,
  unauthenticated,
} from '../../core/errors/errors.ts';
import { resourceId } from '../../core/ids.ts';
import { SecretKey } from '../../core/secret-references.ts';
import type { SetupLink } from '../../platform/auth/setup-link.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { type Secret, SecretDescription, SecretValue } from './secret.ts';
import { type SecretStore, secretStore } from './secret-store.ts';
import { setupLinkTokens } from './setup-link-tokens.ts';

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

/** A value for a secret, which is named by key, item id (equal to the key) or secret id. */
export const SecretRequestItem = z.strictObject({
  key: SecretKey.optional(),
  itemId: SecretKey.optional(),
  secretId: resourceId('secret').optional(),
  value: SecretValue,
  description: SecretDescription.optional(),
  displayName: z.string().max(255).optional(),
  expectedVersion: z.int().min(0).optional(),
});
export type SecretRequestItem = z.infer<typeof SecretRequestItem>;

type Keyed = SecretRequestItem & { key: string };

/** The key of each item's secret; undefined if the item names none. */
const listItemKeys = (items: readonly SecretRequestItem[], secrets: Pick<SecretStore, 'get'>) =>
  Promise.all(
    items.map(async ({ key, itemId, secretId }) => {
      if (key ?? itemId) return key ?? itemId;
      return secretId && (await secrets.get(secretId).catch(ignoreMissing))?.key;
    }),
  );

function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, 'NOT_FOUND')) throw error;
}

interface Context {
  keys: readonly (string | undefined)[];
  /** The requested keys; undefined if any is allowed. */
  allowed: readonly string[] | undefined;
  secrets: ReadonlyMap<string, Secret>;
}

/** Adds the keys to the items. @throws 400 that lists all problems by path. */
function addKeys(items: readonly SecretRequestItem[], { keys, allowed, secrets }: Context): Keyed[] {
  const wrong = items.flatMap((item, index) => {
    const key = keys[index];
    const fault = findFault(
      item,
      key,
      keys.indexOf(key) < index,
      key ? secrets.get(key) : undefined,
      allowed,
    );
    return fault ? [{ ...fault, path: `items.${index}.${fault.path}` }] : [];
  });
  if (wrong.length > 0) throw invalid(wrong);
  return items.map((item, index) => ({ ...item, key: keys[index] ?? '' }));
}

function findFault(
  { itemId, secretId }: SecretRequestItem,
  key: string | undefined,
  isRepeated: boolean,
  secret: Secret | undefined,
  allowed: readonly string[] | undefined,
): (ErrorDetail & { path: string }) | undefined {
  const createFault = (path: string, code: DetailCode, message: string) => ({ path, code, message });
  if (key === undefined) {
    return secretId
      ? createFault('secretId', 'UNKNOWN_SECRET', 'This secret does not exist')
      : createFault('key', 'MISSING_REQUIRED_FIELD', 'Required: the key, itemId or secretId of a secret');
  }
  if (allowed && !allowed.includes(key))
    return createFault('key', 'NOT_ASKED_FOR', `${key} is not requested here; leave it out`);
  if (isRepeated)
    return createFault('key', 'DUPLICATE_KEY', `${key} occurs more than once; give each key once`);
  if (itemId && itemId !== key)
    return createFault('itemId', 'MISMATCH', 'key and itemId name different secrets');
  if (secretId && secretId !== secret?.id) {
    return createFault('secretId', 'MISMATCH', `${key} is not the key of this secret`);
  }
  return undefined;
}

/** @throws 409 if a secret has another version than expected, or a value that a setup link may not replace. */
function assertCurrent(
  items: readonly Keyed[],
  secrets: ReadonlyMap<string, Secret>,
  { replaces }: { replaces: boolean },
): void {
  for (const [index, { key, expectedVersion }] of items.entries()) {
    const secret = secrets.get(key);
    const version = secret?.version ?? 0;
    if (expectedVersion !== undefined && expectedVersion !== version) {
      const message = `The version of ${key} is ${version}; read it again and retry`;
      throw conflict({ path: `items.${index}.expectedVersion`, code: 'VERSION_MISMATCH', message });
    }
    if (!replaces && isConfigured(secret)) {
      const message = `${key} already has a value, which a setup link cannot replace`;
      throw conflict({ path: `items.${index}.key`, code: 'ALREADY_CONFIGURED', message });
    }
  }
}

const needs = { secret: 'key', product: 'productId' } as const;

export const SecretRequestSource = z
  .strictObject({
    type: z.enum(['manual', 'secret', 'product']),
    key: SecretKey.optional(),
    productId: z.string().min(1).max(255).optional(),
  })
  .superRefine((source, context) => {
    if (source.type === 'manual' || source[needs[source.type]] !== undefined) return;
    const member = needs[source.type];
    const params = { code: 'MISSING_REQUIRED_FIELD' };
    context.addIssue({
      code: 'custom',
      path: [member],
      message: `Required: names the ${source.type}`,
      params,
    });
  });
export type SecretRequestSource = z.infer<typeof SecretRequestSource>;

/** The requested keys; undefined if the submitter chooses them. */
async function listSourceKeys(
  source: SecretRequestSource,
  intake: SetupLink | undefined,
  secrets: Pick<SecretStore, 'byKeys'>,
): Promise<string[] | undefined> {
  const { type, key } = source;
  if (type === 'product') throw notFound('Product');
  if (key === undefined) return intake?.keys;
  const named = intake
    ? intake.keys.includes(key)
    : type === 'manual' || (await secrets.byKeys([key])).has(key);
  if (!named) throw notFound('Secret');
  return [key];
}

export const isConfigured = (secret: Secret | undefined) => secret?.status === 'active';

const Status = z.enum(['configured', 'needs_configuration', 'invalid']);

const Item = z
  .object({
    itemId: z.string(),
    secretKey: z.string(),
    secretId: z.string().optional(),
    status: Status,
    required: z.boolean(),
    version: z.int(),
    displayName: z.string().nullable().optional(),
    description: z.string().nullable(),
    helpText: z.string().optional(),
  })
  .meta({ id: 'SecretIntakeItem' });

export const SecretRequestManifest = z
  .object({
    title: z.string(),
    description: z.string().optional(),
    configurationStatus: Status,
    pendingConfigurationCount: z.int(),
    items: z.array(Item),
    source: SecretRequestSource,
    returnUrl: z.string().optional(),
  })
  .meta({ id: 'SecretIntakeManifest' });

interface ManifestParts {
  source: SecretRequestSource;
  returnUrl?: string | undefined;
  intake: SetupLink | undefined;
  keys: readonly string[];
  secrets: ReadonlyMap<string, Secret>;
}

function toManifest({ source, returnUrl, intake, keys, secrets }: ManifestParts) {
  const items = keys.map((key) => toItem(key, secrets.get(key)));
  const pending = items.filter(({ status }) => status !== 'configured').length;
  return {
    title: intake?.context
      ? `Set up secrets for ${intake.context.type} ${intake.context.id}`
      : 'Set up secrets',
    ...(intake && {
      description: `This link works until ${toMoment(intake.expiresAt)}, or until every value is set.`,
    }),
    configurationStatus: pending > 0 ? ('needs_configuration' as const) : ('configured' as const),
    pendingConfigurationCount: pending,
    items,
    source,
    ...(returnUrl && { returnUrl }),
  };
}

const valueLength = 'A value has 8 to 10,000 characters.';

const toItem = (key: string, secret: Secret | undefined) => ({
  itemId: key,
  secretKey: key,
  ...(secret && { secretId: secret.id }),
  status: isConfigured(secret) ? ('configured' as const) : ('needs_configuration' as const),
  required: true,
  version: secret?.version ?? 0,
  description: secret?.description ?? null,
  ...(!isConfigured(secret) && {
    helpText: secret?.status === 'revoked' ? `This secret was deleted before. ${valueLength}` : valueLength,
  }),
});

/** `6 October 2026, 14:05 UTC` */
const toMoment = (iso: string) =>
  `${new Date(iso).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`;

const loopbacks = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Only safe redirect targets: no script URLs, no embedded credentials. */
function isReturnUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopbacks.has(url.hostname));
}

export const ReturnUrl = z
  .string()
  .max(2_048)
  .refine(isReturnUrl, 'Expected an https URL, or an http URL on localhost')
  .meta({ format: 'uri' });
