import { foldAddress } from '../../core/email-address.ts';
import { conflict, forbidden } from '../../core/errors/errors.ts';
import { clientJson } from '../../core/json/exact-json.ts';
import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import { listDue, sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { createMissingError, decode, decodeReadable } from '../../platform/data/entity.ts';
import {
  type CursorPagination,
  type CursorQuery,
  cursorPage,
  paginateAll,
} from '../../platform/data/lists/pages.ts';
import { payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Changes, combineConditions, type WriteCondition } from '../../platform/data/writes.ts';
import { countFitting } from '../../platform/http/responses/body-sizes.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { messageLimits } from '../conversations/message-limits.ts';
import { deliveryEntity, deliveryQueue } from '../deliveries/delivery.ts';
import { prepareDelivery } from '../deliveries/end-webhook.ts';
import { recordEntity } from '../records/record.ts';
import { runEntity } from '../runs/run.ts';
import { type ApprovalRequested, toInboxAddress } from './approval-attempt.ts';
import {
  type InboxKind,
  type InboxStatus,
  type InboxWait,
  inboxPartition,
  inboxSweep,
  inboxWaitEntity,
  nextSweepAt,
  type WaitingCall,
} from './inbox-wait.ts';
import { type RunWait, runWaitEntity } from './run-wait.ts';
import { waitStore } from './wait-store.ts';

/**
 * The inbox of a tenant: lists what its runs wait for, and says who works on it.
 *
 * A list takes a page of an index, then reads the entries themselves, their runs and what is asked, consistently and in one
 * request: an entry whose run went on, or has ended, is left out, whatever the index says. By `expiresAt` the first
 * `sortedMax` open entries are sorted.
 * A claim is one conditional write, so of two persons one gets it. Reminders are counted by `remindedAt` under a condition:
 * at most one an hour, by whomever. Who is reminded, or asked after a reassignment, gets a link of its own for a question of a
 * flow; for a call of an agent, the address of its run in the console.
 * Answers are given by `execution/run-waits/answer-inbox.ts`, which knows how runs go on.
 */

export interface InboxQuery extends CursorQuery {
  status: InboxStatus;
  runKinds: readonly InboxWait['runKind'][];
  kinds?: readonly InboxKind[] | undefined;
  flowId?: string | undefined;
  agentId?: string | undefined;
  assignee?: string | undefined;
  claimedBy?: string | undefined;
  overdue?: boolean | undefined;
  tag?: string | undefined;
  sort: 'since' | 'expiresAt';
}

/** An entry with what is asked. */
export interface ShownWait {
  wait: InboxWait;
  /** Of a flow. */
  asked?: RunWait | undefined;
  /** Of an agent. */
  call?: WaitingCall | undefined;
  recordName?: string | undefined;
}

/** What an index says of an entry: where it is, and what belongs to it. */
type WaitPlaces = Pick<InboxWait, 'id' | 'rootRunId' | 'runId' | 'path' | 'recordId'>;
type SortedWait = WaitPlaces & Pick<InboxWait, 'expiresAt'>;

/** How many open entries are sorted by their time. */
const sortedMax = 5_000;

export const inboxReader = /* @__PURE__ */ using(['table:read', payloadReader], (scope: Scope) => {
  const { table, now } = scope;
  const payloads = payloadReader(scope);

  async function listRows(query: InboxQuery) {
    const source = { partition: inboxPartition(query.status), index: 1 as const };
    const filter = toFilter(query, now());
    if (query.sort === 'since') {
      const { rows, pagination } = await cursorPage(
        table,
        { ...source, kind: 'wait', filter, passesMost: true },
        query,
      );
      return { rows: rows as unknown as WaitPlaces[], pagination };
    }
    const rows: SortedWait[] = [];
    for await (const items of table.pages({ ...source, filter, perQuery: 1_000 })) {
      for (const { summary } of items) rows.push(summary as SortedWait);
      if (rows.length >= sortedMax) break;
    }
    return paginateSorted(rows, query);
  }

  /** Those that are still as the list says, with their runs and what is asked. */
  async function load(places: readonly WaitPlaces[], status: InboxStatus): Promise<ShownWait[]> {
    const keys = places.flatMap(({ id, rootRunId, runId, path, recordId }) => [
      inboxWaitEntity.key({ id }),
      runEntity.key({ id: rootRunId }),
      runWaitEntity.key({ runId, path: path ?? '-' }),
      recordEntity.key({ id: recordId ?? '-' }),
    ]);
    const found = await table.getMany(keys, { consistent: true });
    const shown = places.map(async (_, index) => {
      const [item, root, asked, record] = found.slice(4 * index, 4 * index + 4);
      const [wait] = decodeReadable(inboxWaitEntity, [item]);
      const isOver = !root || decode(runEntity, root).completedAt !== undefined;
      if (wait?.status !== status || (status === 'open' && isOver)) return undefined;
      return {
        wait,
        asked: asked && decode(runWaitEntity, asked),
        recordName: (record?.summary as { name?: string } | undefined)?.name,
        call: wait.call && ((await payloads.fetchReadable(wait.call)) as WaitingCall | undefined),
      };
    });
    return (await Promise.all(shown)).filter((each) => each !== undefined);
  }

  return {
    /** A page ends at 5 MB: an entry may have long details and a form. */
    async list(query: InboxQuery): Promise<{ rows: ShownWait[]; pagination: CursorPagination }> {
      const { rows, pagination } = await listRows(query);
      const shown = await load(rows, query.status);
      const fitting = countFitting(shown);
      if (fitting === shown.length || query.limit === 1) return { rows: shown, pagination };
      const shorter = await this.list({ ...query, limit: Math.max(1, fitting) });
      return { ...shorter, pagination: { ...shorter.pagination, limit: query.limit } };
    },

    /** Also one that is over, which takes no more actions (409). @throws 404 if there is none of a run of these kinds */
    async find(id: string, runKinds: readonly InboxWait['runKind'][]): Promise<InboxWait> {
      const wait = await table.find(inboxWaitEntity, { id }, { consistent: true });
      if (!runKinds.includes(wait.runKind)) throw createMissingError(inboxWaitEntity);
      return wait;
    },

    /** As the list shows it. */
    async show(wait: InboxWait): Promise<ShownWait> {
      const [shown] = wait.status === 'closed' ? [] : await load([wait], wait.status);
      if (!shown) throw createMissingError(inboxWaitEntity);
      return shown;
    },
  };
});

/** Cursors name ids, and lists of ids are newest first: the places in the order by time stand in for them. */
function paginateSorted(rows: readonly SortedWait[], query: CursorQuery) {
  const toPlace = ({ id, expiresAt }: SortedWait) => {
    const left = 9_999_999_999_999 - Date.parse(expiresAt);
    return `wait_${String(left).padStart(13, '0')}${id.slice(-13)}`;
  };
  const byPlace = new Map(rows.map((row) => [toPlace(row), row]));
  const places = [...byPlace.keys()].map((id) => ({ id }));
  const { rows: page, pagination } = paginateAll(places, 'wait', query);
  return { rows: page.flatMap(({ id }) => byPlace.get(id) ?? []), pagination };
}

function toFilter(query: InboxQuery, now: Date): Required<WriteCondition> {
  const { runKinds, kinds, flowId, agentId, assignee, claimedBy, overdue, tag, status } = query;
  const values: Record<string, unknown> = {};
  const isOneOf = (field: string, wanted: readonly string[]) => {
    const names = wanted.map((value, index) => {
      values[`${field}${index}`] = value;
      return `:${field}${index}`;
    });
    return `#summary.#${field} IN (${names.join(', ')})`;
  };
  const compare = (expression: (name: string) => string, name: string, value: string | undefined) => {
    if (value === undefined) return [];
    values[name] = value;
    return [expression(`:${name}`)];
  };
  const at = now.toISOString();
  const conditions = [
    isOneOf('runKind', runKinds),
    ...(kinds ? [isOneOf('kind', kinds)] : []),
    ...compare((value) => `#summary.#flowId = ${value}`, 'flowId', flowId),
    ...compare((value) => `#summary.#agentId = ${value}`, 'agentId', agentId),
    ...compare(
      (value) => `contains(#summary.#emails, ${value})`,
      'assignee',
      assignee && foldAddress(assignee),
    ),
    ...compare((value) => `#summary.#claimedBy = ${value}`, 'claimedBy', claimedBy),
    ...compare((value) => `contains(#summary.#tags, ${value})`, 'tag', tag),
    ...compare((value) => `#summary.#expiresAt > ${value}`, 'now', status === 'open' ? at : undefined),
    ...compare((value) => `#summary.#overdueAt <= ${value}`, 'at', overdue === true ? at : undefined),
    ...compare((value) => `#summary.#overdueAt > ${value}`, 'at', overdue === false ? at : undefined),
  ];
  return { expression: conditions.join(' AND '), values };
}

const hourMs = 3_600_000;
const isOpen: WriteCondition = { expression: '#summary.#status = :open', values: { open: 'open' } };

const uses = ['table:write', 'public-url', deliveryQueue, messageLimits, waitStore] as const;

export const inboxWriter = /* @__PURE__ */ using(uses, (scope: Scope) => {
  const { table, now, newId } = scope;

  /** @throws 409 with this reason, unless the condition holds */
  async function change(
    { id }: InboxWait,
    changes: Changes<typeof inboxWaitEntity>,
    condition: WriteCondition,
    refusal: string,
  ): Promise<InboxWait> {
    const write = table.writes.update(inboxWaitEntity, { id }, changes, combineConditions(isOpen, condition));
    const changed = await table.updateAndGet(inboxWaitEntity, write).catch(onConditionFailed(undefined));
    if (changed) return changed;
    const current = await table.get(inboxWaitEntity, { id }, { consistent: true });
    assertAwaited(current ?? { status: 'closed' });
    throw conflict(refusal);
  }

  /** Tells these of the wait. @param isAgain Whether the webhook of its question is told too */
  async function tell(wait: InboxWait, emails: readonly string[], isAgain = false): Promise<void> {
    const asked =
      wait.path === undefined
        ? undefined
        : await waitStore(scope).get({ runId: wait.runId, path: wait.path });
    if (asked) return asked.kind === 'approval' ? waitStore(scope).ask(asked, emails, isAgain) : undefined;
    await messageLimits(scope).take(emails);
    const at = now();
    const body: ApprovalRequested = {
      type: 'approval.requested',
      timestamp: at.toISOString(),
      question: wait.title,
      details: null,
      url: toInboxAddress(wait.id),
      waitId: wait.id,
      runId: wait.runId,
      stepId: '',
      itemKey: null,
      choices: ['approve', 'reject'],
      flowName: null,
      expiresAt: wait.expiresAt,
    };
    const place = { productId: '', surfaceId: wait.runId, executionId: wait.runId };
    const message = { ...place, type: body.type, body: clientJson(body) };
    const deliveries = emails.map((email) =>
      prepareDelivery({ newId }, at, { ...message, approval: { email } }),
    );
    await table.commit(deliveries.map((delivery) => table.writes.insert(deliveryEntity, delivery)));
    await Promise.all(deliveries.map((delivery) => deliveryQueue(scope).sendOrLeave(delivery)));
  }

  const notReminded = (at: Date): WriteCondition => ({
    expression: 'attribute_not_exists(#remindedAt) OR #remindedAt <= :hourAgo',
    values: { hourAgo: new Date(at.getTime() - hourMs).toISOString() },
  });

  return {
    /** @throws 409 if somebody else has it */
    claim: (wait: InboxWait, by: string): Promise<InboxWait> =>
      change(
        wait,
        { set: { claimedBy: by, claimedAt: now().toISOString() } },
        {
          expression: 'attribute_not_exists(#summary.#claimedBy) OR #summary.#claimedBy = :by',
          values: { by },
        },
        'Somebody else has claimed it',
      ),

    /** @param may Whether the caller may release what others have claimed. @throws 403, 409 */
    release(wait: InboxWait, by: string, may: boolean): Promise<InboxWait> {
      assertAwaited(wait);
      const { claimedBy } = wait;
      if (claimedBy === undefined) throw conflict('Nobody has claimed it');
      if (claimedBy !== by && !may) throw forbidden('Only who claimed it can release it');
      const isStill = { expression: '#summary.#claimedBy = :claimer', values: { claimer: claimedBy } };
      return change(wait, { remove: ['claimedBy', 'claimedAt'] }, isStill, 'Somebody else has claimed it');
    },

    /** Those who were not asked yet are. */
    async reassign(wait: InboxWait, asked: readonly string[]): Promise<InboxWait> {
      const emails = asked.map(foldAddress);
      const changed = await change(wait, { set: { emails } }, anyway, 'It was changed');
      const added = emails.filter((email) => !wait.emails.includes(email));
      if (added.length > 0) await tell(wait, added);
      return changed;
    },

    /** @throws 409 within an hour, and if there is nobody to remind */
    async remind(wait: InboxWait): Promise<InboxWait> {
      assertAwaited(wait);
      const { emails, path, runId } = wait;
      const asked = path === undefined ? undefined : await waitStore(scope).get({ runId, path });
      if (emails.length === 0 && asked?.webhookUrl === undefined)
        throw conflict('Nobody is asked; reassign it first');
      const at = now();
      const changed = await change(
        wait,
        { set: { remindedAt: at.toISOString() } },
        notReminded(at),
        'A reminder was sent within the last hour',
      );
      await tell(wait, emails, true);
      return changed;
    },

    /** Does what is due: reminds once, asks further people, or notes that the time is over. Of several sweeps one does it. */
    async sweep(wait: InboxWait, at: Date): Promise<void> {
      const due = at.toISOString();
      if (wait.expiresAt <= due) {
        const index = { PK1: inboxPartition('expired'), SK1: wait.id };
        const write = { set: { status: 'expired' as const }, index, removeFromIndex: 2 as const };
        await change(wait, write, anyway, '').catch(ignoreConflict);
        return;
      }
      const isReminder = wait.remindAt !== undefined && wait.remindAt <= due;
      const isEscalation = wait.escalateAt !== undefined && wait.escalateAt <= due;
      const { remindAt, escalateAt, ...rest } = wait;
      const left = {
        ...rest,
        ...(!isReminder && remindAt !== undefined && { remindAt }),
        ...(!isEscalation && escalateAt !== undefined && { escalateAt }),
      };
      const { escalateTo = [], emails } = wait;
      // What a person has reminded of within the hour is not repeated.
      const remindedMs = wait.remindedAt === undefined ? 0 : Date.parse(wait.remindedAt);
      const reminds = isReminder && at.getTime() - remindedMs >= hourMs;
      const changed = await change(
        wait,
        {
          set: {
            ...(reminds && { remindedAt: due }),
            ...(isEscalation && { emails: [...new Set([...emails, ...escalateTo])] }),
          },
          remove: [
            ...(isReminder ? (['remindAt'] as const) : []),
            ...(isEscalation ? (['escalateAt'] as const) : []),
          ],
          index: sweepKeys(inboxSweep, wait.id, nextSweepAt(left)),
        },
        isSameSweep(wait),
        '',
      ).catch(ignoreConflict);
      if (!changed) return;
      if (reminds) await tell(wait, emails, true);
      if (isEscalation) await tell(wait, escalateTo);
    },
  };
});

const reasons: Record<Exclude<InboxWait['status'], 'open'>, string> = {
  answered: 'It has been answered already',
  expired: 'The time to answer it is over',
  closed: 'Its run has ended, or went on without an answer',
};

/** @throws 409 that says why nobody waits any more */
export function assertAwaited({ status }: Pick<InboxWait, 'status'>): void {
  if (status !== 'open') throw conflict(reasons[status]);
}

const anyway: WriteCondition = { expression: 'attribute_exists(PK)' };

const isSameSweep = ({ remindAt, escalateAt }: InboxWait): WriteCondition =>
  combineConditions(
    remindAt === undefined
      ? { expression: 'attribute_not_exists(#remindAt)' }
      : { expression: '#remindAt = :remindAt', values: { remindAt } },
    escalateAt === undefined
      ? { expression: 'attribute_not_exists(#escalateAt)' }
      : { expression: '#escalateAt = :escalateAt', values: { escalateAt } },
  );

function ignoreConflict(error: unknown): undefined {
  if ((error as { code?: string }).code !== 'CONFLICT') throw error;
}

/** Does for all tenants what is due by then. */
export const sweepInbox = /* @__PURE__ */ using(
  [inboxWriter],
  async ({ scopeOf }: Runtime, now: Date): Promise<void> => {
    for await (const page of listDue(scopeOf('').table, inboxSweep, now)) {
      for (const { tenant, PK } of page) {
        const scope = scopeOf(tenant);
        const id = PK.split('#').at(-1) ?? '';
        try {
          const wait = await scope.table.get(inboxWaitEntity, { id }, { consistent: true });
          if (wait?.status === 'open') await inboxWriter(scope).sweep(wait, now);
        } catch (error) {
          log.error('What is due for a wait could not be done', { error, tenant, waitId: id });
        }
      }
    }
  },
);
