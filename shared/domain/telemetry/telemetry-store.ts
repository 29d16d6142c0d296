/**
 * The tenant's setting for exporting its runs to an OpenTelemetry collector.
 *
 * Each change is also stored as a version, and runs that ended before a change are exported with the version of then; a
 * replaced version expires two hours later. The values of headers are encrypted before they are stored and never shown; `••••`
 * keeps the stored one, but only for the same origin. Exports are made in `shared/execution/telemetry`.
 */

import { conflict, invalidAt, notFound } from '../../core/errors/errors.ts';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, exists, type Write } from '../../platform/data/writes.ts';
import { type AuditEvent, audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { createSecretUseWrites } from '../flows/secret-keys.ts';
import { headerSealer } from './header-secrets.ts';
import {
  forgetRecentTelemetrySetting,
  hiddenValue,
  listValueSecretKeys,
  type TelemetryBody,
  type TelemetrySetting,
  telemetrySettingEntity,
  telemetryVersionEntity,
} from './telemetry-setting.ts';

type Addressed = Pick<TelemetryBody, 'endpoint' | 'headers'>;
type Stored = Pick<TelemetrySetting, 'endpoint' | 'headers' | 'secretKeysOf'>;

/** Encrypts the values of a setting's headers, or takes over those that are stored. @throws 400 */
const headersToStore = /* @__PURE__ */ using([headerSealer], (scope: Pick<Scope, 'table'>) => {
  const seal = headerSealer(scope);
  return async ({ endpoint, headers }: Addressed, before: Stored | undefined) => {
    const sealed = await Promise.all(
      Object.entries(headers).map(async ([name, value]) =>
        value === hiddenValue
          ? { name, ...findStoredHeader(name, endpoint, before) }
          : { name, text: await seal(value), secretKeys: listValueSecretKeys(value) },
      ),
    );
    const naming = sealed.filter(({ secretKeys }) => secretKeys.length > 0);
    return {
      headers: Object.fromEntries(sealed.map(({ name, text }) => [name, text])),
      secretKeysOf: Object.fromEntries(naming.map(({ name, secretKeys }) => [name, secretKeys])),
    };
  };
});

/** What `••••` stands for. Never at another origin, which could be that of somebody who may set it but not read it (D233). */
function findStoredHeader(name: string, endpoint: string, before: Stored | undefined) {
  if (!before || !Object.hasOwn(before.headers, name)) throw createNothingHidden(name);
  if (new URL(endpoint).origin !== new URL(before.endpoint).origin) throw createOriginError(name);
  return { text: before.headers[name] ?? '', secretKeys: before.secretKeysOf[name] ?? [] };
}

const createNothingHidden = (name: string) =>
  invalidAt(
    `headers.${name}`,
    'INVALID_VALUE',
    `There is no stored value of ${name} that ${hiddenValue} could stand for; send the value`,
  );

const createOriginError = (name: string) =>
  invalidAt(
    `headers.${name}`,
    'INVALID_VALUE',
    `${hiddenValue} stands for the stored value of ${name} only while scheme, host and port of endpoint stay; send the value again`,
  );

/** Longer than a run that ended before is sent again. */
const replacedSeconds = 2 * 3_600;

export const telemetryReader = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope /** @throws 404 */) =>
    (): Promise<TelemetrySetting> =>
      table.find(telemetrySettingEntity, {}, { consistent: true }),
);

export const telemetryWriter = /* @__PURE__ */ using(
  ['table:write', 'table:delete', headersToStore],
  (scope: Scope) => {
    const { table, now } = scope;
    const { writes } = table;
    const sealed = headersToStore(scope);

    const readCurrent = () => table.get(telemetrySettingEntity, {}, { consistent: true });

    const toUnchangedCondition = (before: TelemetrySetting | undefined) =>
      before ? { expression: '#versionId = :asRead', values: { asRead: before.versionId } } : absent;

    /** Runs that ended before keep the previous setting. */
    const expireReplaced = (before: TelemetrySetting | undefined): Write[] =>
      before
        ? [
            writes.update(
              telemetryVersionEntity,
              before,
              { set: { ttl: unixSeconds(now()) + replacedSeconds } },
              exists,
            ),
          ]
        : [];

    const createUseWrites = (before: TelemetrySetting | undefined, after?: TelemetrySetting) =>
      createSecretUseWrites(table, 'telemetry', toNaming(before), toNaming(after));

    async function commit(principal: Principal, event: AuditEvent, changes: readonly Write[]): Promise<void> {
      const { write, log } = audit(scope, principal, event);
      await table.commit([...changes, write]);
      forgetRecentTelemetrySetting(table);
      log();
    }

    return {
      async put(principal: Principal, body: TelemetryBody): Promise<TelemetrySetting> {
        return retryOnConflict(
          async () => {
            const before = await readCurrent();
            const updatedAt = now().toISOString();
            const setting: TelemetrySetting = {
              versionId: scope.newId('telemetry'),
              ...body,
              ...(await sealed(body, before)),
              createdAt: before?.createdAt ?? updatedAt,
              updatedAt,
            };
            await commit(principal, createEvent('changed', setting), [
              writes.put(telemetrySettingEntity, setting, toUnchangedCondition(before)),
              writes.put(telemetryVersionEntity, setting),
              ...expireReplaced(before),
              ...createUseWrites(before, setting),
            ]);
            return setting;
          },
          { conflictError: createConflict },
        );
      },

      /** @throws 404 */
      async remove(principal: Principal): Promise<void> {
        await retryOnConflict(
          async () => {
            const before = await readCurrent();
            if (!before) throw notFound('Telemetry setting');
            await commit(principal, createEvent('deleted', before), [
              writes.remove(telemetrySettingEntity, {}, toUnchangedCondition(before)),
              ...expireReplaced(before),
              ...createUseWrites(before),
            ]);
          },
          { conflictError: createConflict },
        );
      },
    };
  },
);

const toNaming = (setting: TelemetrySetting | undefined) => ({
  secretKeys: Object.values(setting?.secretKeysOf ?? {}).flat(),
});

const createEvent = (
  verb: 'changed' | 'deleted',
  { versionId, endpoint, headers, content, enabled, sample }: TelemetrySetting,
): AuditEvent => ({
  action: `telemetry.${verb}`,
  targetId: versionId,
  details: verb === 'deleted' ? {} : { endpoint, headers: Object.keys(headers), content, enabled, sample },
});

const createConflict = () =>
  conflict({
    code: 'CONFLICT',
    message: 'The setting was changed by other requests at the same time; try again',
  });
