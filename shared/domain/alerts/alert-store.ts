/**
 * Creates, changes, lists and removes alerts, with an audit entry in the same transaction.
 * The first alert of a tenant begins its watch, one item that the worker finds each minute (`evaluate-alerts.ts`); without
 * alerts there is none, and nothing is read or written for the tenant. What alerts came to is read from the watch.
 * A change is conditional on the revision. The key that signs what a webhook gets is shown once, by the response that made it.
 */
import { omitUndefined } from '../../core/defined.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { decodeReadable, defineEntity } from '../../platform/data/entity.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { assertTargetExists, type NamedTarget } from '../budgets/named-targets.ts';
import { notifySecretMaker } from '../budgets/thresholds.ts';
import { assertWithinLimit } from '../tenant-limits.ts';
import {
  type Alert,
  type AlertEvent,
  type AlertScope,
  type AlertStanding,
  AlertWatch,
  alertEntity,
  alertEventEntity,
  alertsPartition,
  assertCanFire,
  assertCountsRuns,
  assertScopeFits,
  countsRuns,
  createStanding,
} from './alert.ts';

export const alertSweep = 'ALERT';

/** Due in every sweep, as long as it exists. */
export const alertWatchEntity = defineEntity({
  type: 'alertWatch',
  schema: AlertWatch,
  key: (_: object) => ({ PK: alertsPartition, SK: 'WATCH' }),
  index: () => sweepKeys(alertSweep, 'watch', '0'),
  packing: { fields: ['open', 'counted', 'standings'], dictionaries: [''] },
});

export interface AlertMembers
  extends Pick<Alert, 'name' | 'metric' | 'scope' | 'windowMinutes' | 'minRuns' | 'enabled'> {
  above?: number | undefined;
  below?: number | undefined;
  notify: Pick<Partial<Alert>, 'webhookUrl' | 'webhookFormat'> & { emails?: string[] | undefined };
}

type AlertMembersChange = { [Name in keyof AlertMembers]?: AlertMembers[Name] | undefined };

export interface ShownAlert {
  alert: Alert;
  standing: AlertStanding;
  secret?: string | undefined;
}

/** How long messages are shown. */
export const historyDays = 90;
const historyMax = 1_000;

export const alertReader = /* @__PURE__ */ using(['table:read'], (scope: Scope) => {
  const { table, now } = scope;

  async function readAll(): Promise<{ alerts: Alert[]; watch: AlertWatch | undefined }> {
    const items = await table.queryAll({ partition: alertsPartition, consistent: true });
    const [watch] = decodeReadable(
      alertWatchEntity,
      items.filter(({ SK }) => SK === 'WATCH'),
    );
    return {
      alerts: decodeReadable(
        alertEntity,
        items.filter(({ SK }) => SK !== 'WATCH'),
      ),
      watch,
    };
  }

  return {
    readAll,

    async list(): Promise<ShownAlert[]> {
      const { alerts, watch } = await readAll();
      return alerts.map((alert) => ({
        alert,
        standing: watch?.standings[alert.id] ?? createStanding(now()),
      }));
    },

    /** @throws 404 */
    async find(id: string): Promise<ShownAlert> {
      const [alert, watch] = await Promise.all([
        table.find(alertEntity, { id }, { consistent: true }),
        table.get(alertWatchEntity, {}, { consistent: true }),
      ]);
      return { alert, standing: watch?.standings[id] ?? createStanding(now()) };
    },

    /** What it has told, newest first. @throws 404 */
    async history(id: string): Promise<AlertEvent[]> {
      const { PK } = alertEventEntity.key({ alertId: id, at: '' });
      const [, { items }] = await Promise.all([
        table.find(alertEntity, { id }),
        table.first(historyMax, { partition: PK, newestFirst: true, consistent: true }),
      ]);
      return decodeReadable(alertEventEntity, items);
    },
  };
});

export const alertWriter = /* @__PURE__ */ using(
  ['table:write', 'table:delete', alertReader, notifySecretMaker],
  (scope: Scope) => {
    const { table, now, newId } = scope;
    const { find, readAll } = alertReader(scope);

    async function commit(principal: Principal, verb: string, alert: Alert, write: Write): Promise<void> {
      const { id: targetId, name, metric, scope: of } = alert;
      const details = verb === 'deleted' ? { name } : { name, metric, scope: of };
      const log = audit(scope, principal, { action: `alert.${verb}`, targetId, details });
      await table.commit([write, log.write]);
      log.log();
    }

    const createSecret = async (webhookUrl: string | undefined, sealed?: string) =>
      webhookUrl !== undefined && sealed === undefined ? notifySecretMaker(scope)() : undefined;

    /** Runs that ended before count too, as far as a window reaches back. */
    async function beginWatch(): Promise<void> {
      const readTo = new Date(now().getTime() - longestWindowMs).toISOString();
      const watch = { version: 0, readTo, open: [], counted: [], standings: {} };
      await table.commit([table.writes.insert(alertWatchEntity, watch)]).catch(onConditionFailed(undefined));
    }

    return {
      /** @throws 400 if what it is for does not exist, 409 if the tenant can have no more */
      async create(principal: Principal, { notify, ...members }: AlertMembers): Promise<ShownAlert> {
        assertCountsRuns(members.metric, members.minRuns);
        assertScopeFits(members.metric, members.scope);
        await assertScopeExists(scope, members.scope);
        assertWithinLimit('alerts', (await readAll()).alerts.length + 1);
        const { webhookUrl, webhookFormat, emails = [] } = notify;
        const secret = await createSecret(webhookUrl);
        const id = newId('alert');
        const createdAt = getIdCreatedAt(id);
        const alert: Alert = {
          id,
          ...(omitUndefined(members) as typeof members & Pick<Alert, 'above' | 'below'>),
          ...omitUndefined({ webhookUrl, webhookFormat, sealedSecret: secret?.sealed }),
          emails,
          revision: 1,
          createdAt,
          updatedAt: createdAt,
        } as Alert;
        assertCanFire(alert);
        await commit(principal, 'created', alert, table.writes.insert(alertEntity, alert));
        await beginWatch();
        return { ...(await find(id)), secret: secret?.value };
      },

      /** Missing members stay unchanged; `above` takes the place of `below`, and the other way round. @throws 400, 404 */
      update(principal: Principal, id: string, { notify, ...sent }: AlertMembersChange): Promise<ShownAlert> {
        return retryOnConflict(async () => {
          const { alert: before } = await find(id);
          const { above, below, ...rest } = before;
          const { metric = before.metric, minRuns } = sent;
          assertCountsRuns(metric, minRuns);
          if (sent.scope || sent.metric) assertScopeFits(metric, sent.scope ?? before.scope);
          if (sent.scope) await assertScopeExists(scope, sent.scope, before.scope);
          const { webhookUrl, webhookFormat, emails = [] } = notify ?? before;
          const secret = await createSecret(webhookUrl, before.sealedSecret);
          const bound = sent.above === undefined && sent.below === undefined ? { above, below } : {};
          const { webhookUrl: _url, webhookFormat: _format, ...kept } = rest;
          const alert = omitUndefined({
            ...kept,
            ...bound,
            ...omitUndefined(sent),
            ...(!countsRuns(metric) && { minRuns: 1 }),
            webhookUrl,
            webhookFormat,
            emails,
            sealedSecret: secret?.sealed ?? before.sealedSecret,
            revision: before.revision + 1,
            updatedAt: now().toISOString(),
          }) as unknown as Alert;
          assertCanFire(alert);
          const isUnchanged = { expression: '#revision = :seen', values: { seen: before.revision } };
          await commit(principal, 'updated', alert, table.writes.put(alertEntity, alert, isUnchanged));
          await beginWatch();
          return { ...(await find(id)), secret: secret?.value };
        });
      },

      /** @throws 404 */
      async remove(principal: Principal, id: string): Promise<void> {
        const { alert } = await find(id);
        await commit(principal, 'deleted', alert, table.writes.remove(alertEntity, { id }));
      },
    };
  },
);

const longestWindowMs = 1_440 * 60_000;

const scopeTargets = Object.entries({
  flowId: 'flow',
  agentId: 'agent',
  surfaceId: 'surface',
  scheduleId: 'schedule',
} satisfies Partial<Record<keyof AlertScope, NamedTarget>>);

/** @param before What it names may have been deleted since. @throws 400 for the first that does not exist */
async function assertScopeExists(
  { table }: Scope,
  after: AlertScope,
  before: AlertScope = {},
): Promise<void> {
  for (const [name, type] of scopeTargets as [keyof AlertScope, NamedTarget][]) {
    const id = after[name];
    if (id !== undefined && id !== before[name]) await assertTargetExists(table, `scope.${name}`, type, id);
  }
}
