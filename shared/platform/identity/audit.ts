import * as z from 'zod';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/unix-seconds.ts';
import { defineEntity } from '../data/entity.ts';
import { tenantPartition } from '../data/keys.ts';
import type { Scope } from '../data/scope.ts';
import type { Write } from '../data/writes.ts';
import type { Principal } from './principal.ts';

const keptSeconds = 400 * 86_400;

/** Who did what to which key or secret, when, and from where. Never the value of one. */
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

export const auditEntity = defineEntity({
  type: 'audit',
  schema: Audit,
  key: ({ id, at }: { id: string; at: string }) => ({
    PK: tenantPartition(`AUDIT#${at.slice(0, 'yyyy-mm'.length)}`),
    SK: id,
  }),
});

export interface AuditEvent {
  action: string;
  targetId: string;
  /** What else an auditor asks for, such as permissions. Not logged. */
  details?: Record<string, unknown>;
}

/**
 * Notes what was done: `write` belongs into the transaction of the change, so that neither is there without the
 * other; call `tell` after it, for the log.
 */
export function audit(
  { table, now, newId }: Scope,
  { userId, kind, keyId, sourceIp }: Principal,
  { action, targetId, details = {} }: AuditEvent,
): { write: Write; log: () => void } {
  const moment = now();
  const item: Audit = {
    ...{ id: newId('audit'), at: moment.toISOString(), action, targetId, details },
    ...{ userId, kind, keyId, sourceIp },
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
