import * as z from 'zod';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time.ts';
import { defineEntity } from '../data/entity.ts';
import { tenantPartition } from '../data/keys.ts';
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
export const auditMonth = (month: string) => tenantPartition(`AUDIT#${month}`);
export const toMonth = (at: string) => at.slice(0, 'yyyy-mm'.length);

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
