/**
 * The audit log of a tenant: writes what was done with keys, secrets and other things of consequence, and lists it.
 * `audit` builds an entry and its log line: commit the write in the transaction that it is about, and log afterwards. Entries
 * are in a partition a month, and expire.
 * `auditLog` reads newest first, from month to month. A page reads the next two months at once; with a filter it reads month
 * by month and may end without entries, but with a cursor to go on from.
 */
import * as z from 'zod';
import { toChunks } from '../../core/chunks.ts';
import { idCeiling, idFloor } from '../../core/ids.ts';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../aws/uses.ts';
import { decodeReadable, defineEntity } from '../data/entity.ts';
import { tenantPartition } from '../data/keys.ts';
import { collectRows, type ListedItem } from '../data/lists/listing.ts';
import { invalidListCursor } from '../data/lists/pages.ts';
import type { Scope } from '../data/scope.ts';
import type { Write } from '../data/writes.ts';
import type { Principal } from './principal.ts';

export const auditDays = 400;
const keptSeconds = auditDays * 86_400;

/** The log of changes to keys and secrets: who, what, when and from where. Never contains a value. */
export const Audit = z.object({
  id: z.string(),
  at: z.string(),
  /** `api-key.created`, `secret.rotated`, … */
  action: z.string(),
  targetId: z.string(),
  details: z.record(z.string(), z.unknown()),
  userId: z.string(),
  kind: z.string(),
  keyId: z.string().nullable(),
  sourceIp: z.string().nullable(),
  ttl: z.int(),
});
export type Audit = z.infer<typeof Audit>;

/** The changes of a month, such as `2026-01`. */
const auditMonth = (month: string) => tenantPartition(`AUDIT#${month}`);
const toMonth = (at: string) => at.slice(0, 'yyyy-mm'.length);

export const auditEntity = defineEntity({
  type: 'audit',
  schema: Audit,
  key: ({ id, at }: { id: string; at: string }) => ({
    PK: auditMonth(toMonth(at)),
    SK: id,
  }),
});

/** Who makes a change, and from where. */
export type Actor = Pick<Principal, 'userId' | 'kind' | 'keyId' | 'sourceIp'>;

export interface AuditEvent {
  action: string;
  targetId: string;
  /** Further data for auditors, such as permissions. Not logged. */
  details?: Record<string, unknown>;
}

/** Commit `write` in the transaction of the change, so that both exist or neither; call `log` afterwards. */
export function audit(
  { table, now, newId }: Scope,
  { userId, kind, keyId, sourceIp }: Actor,
  { action, targetId, details = {} }: AuditEvent,
): { write: Write; log: () => void } {
  const moment = now();
  const item: Audit = {
    id: newId('audit'),
    at: moment.toISOString(),
    action,
    targetId,
    details,
    userId,
    kind,
    keyId,
    sourceIp,
    ttl: unixSeconds(moment) + keptSeconds,
  };
  return {
    write: table.writes.insert(auditEntity, item),
    log: () => {
      const { details: _unlogged, ttl: _ttl, ...logged } = item;
      log.info('Audit', logged);
    },
  };
}

export interface AuditQuery {
  limit: number;
  cursor?: string | undefined;
  action?: string | undefined;
  targetId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

interface AuditPage {
  entries: Audit[];
  nextCursor: string | null;
}

const dayMs = 86_400_000;

/** Lists the changes to keys and secrets, newest first, from month to month. */
export const auditLog = /* @__PURE__ */ using(['table:read'], ({ table, now }: Scope) => {
  /** A page may have fewer entries than asked for, or none, before the end of the log. */
  return async (query: AuditQuery): Promise<AuditPage> => {
    const { limit, cursor } = query;
    const { oldest, newest } = clampRange(query, now());
    // DynamoDB refuses a range that ends before it begins.
    if (oldest > newest) return { ...toPage([]), nextCursor: null };
    const position = cursor === undefined ? undefined : decodeCursor(cursor);
    const bounds = { from: idFloor('audit', oldest.getTime()), to: idCeiling('audit', newest.getTime()) };
    const filter = toFilter(query);
    const rows: ListedItem[] = [];
    const readMonth = async (month: string, wanted: number) => {
      const source = { partition: auditMonth(month), ...bounds, ...(filter && { filter }) };
      const after = month === position?.month ? position.id : undefined;
      return { month, ...(await collectRows(table, source, { wanted, cursor: after })) };
    };
    const months = [...listMonths(oldest, newest, position?.month)];
    // Two months fill most pages. A filter may read many entries of each month, so it stops as early as it can.
    for (const group of filter ? toChunks(months, 1) : [months.slice(0, 2), months.slice(2)]) {
      const wanted = limit + 1 - rows.length;
      const read = await Promise.all(group.map((month) => readMonth(month, wanted)));
      for (const { month, found, stoppedAt } of read) {
        rows.push(...found);
        if (rows.length > limit) return toPage(rows.slice(0, limit));
        if (stoppedAt) return { ...toPage(rows), nextCursor: encodeCursor(month, stoppedAt) };
      }
    }
    return { ...toPage(rows), nextCursor: null };
  };
});

const clampRange = ({ from, to }: AuditQuery, now: Date) => {
  const kept = new Date(now.getTime() - auditDays * dayMs);
  return { oldest: from && from > kept ? from : kept, newest: to && to < now ? to : now };
};

function toFilter({ action, targetId }: AuditQuery) {
  // A change of several secrets names them all.
  const conditions = [action && '#action = :action', targetId && 'contains(#targetId, :targetId)'];
  const expression = conditions.filter(Boolean).join(' AND ');
  if (!expression) return undefined;
  return { expression, values: { ...(action && { action }), ...(targetId && { targetId }) } };
}

/** The months of a range, newest first, from that of a cursor on. */
function* listMonths(oldest: Date, newest: Date, cursorMonth = '9999-12') {
  const last = toMonth(oldest.toISOString());
  const first = toMonth(newest.toISOString());
  for (let month = cursorMonth < first ? cursorMonth : first; month >= last; month = getPreviousMonth(month))
    yield month;
}

const getPreviousMonth = (month: string) => toMonth(new Date(Date.parse(`${month}-01`) - 1).toISOString());

function toPage(rows: readonly ListedItem[]): AuditPage {
  const entries = decodeReadable(auditEntity, rows);
  const last = rows.at(-1) as Audit | undefined;
  return { entries, nextCursor: last ? encodeCursor(toMonth(last.at), last.id) : null };
}

const encodeCursor = (month: string, id: string) => Buffer.from(`${month} ${id}`).toString('base64url');

function decodeCursor(cursor: string) {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, month, id] = /^(\d{4}-(?:0[1-9]|1[0-2])) (audit_[0-9a-z]{26})$/.exec(text) ?? [];
  if (!month || !id) throw invalidListCursor();
  return { month, id };
}
