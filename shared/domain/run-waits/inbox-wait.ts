/**
 * What a tenant's runs wait for, as one list: approvals and callbacks of flows, tool approvals and local tools of agents.
 *
 * An entry repeats what the run stores of its wait: it is written in the transaction that opens the wait, and changed in the one
 * that ends it, so the two never disagree. Its id follows from the run and the place, so whoever ends a wait names the entry
 * without reading it. What a flow asks is read from its wait (`run-waits/run-wait.ts`); what a tool is called with, from here.
 *
 * An index has one partition for each status. Open entries are also in a sweep, at the next time at which somebody is
 * reminded, somebody else is told, or the time to answer is over (`functions/workers/sweep-inbox.ts`). Entries expire.
 */
import * as z from 'zod';
import type { WaitAnswer } from '../../adapters/ports/waits-port.ts';
import { deriveId } from '../../core/ids.ts';
import { unixSeconds } from '../../core/time.ts';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { defineEntity, type StoredOf } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { PayloadRef } from '../../platform/data/payloads.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { Write } from '../../platform/data/writes.ts';

export const inboxKinds = ['approval', 'tool-approval', 'callback', 'local-tool'] as const;
export type InboxKind = (typeof inboxKinds)[number];

export const inboxStatuses = ['open', 'answered', 'expired'] as const;
export type InboxStatus = (typeof inboxStatuses)[number];

export const InboxWait = z.object({
  id: z.string(),
  kind: z.enum(inboxKinds),
  /** `closed`: the run went on without an answer. It is in no list. */
  status: z.enum([...inboxStatuses, 'closed']),
  /** The run that asks, whose kind decides who sees it, and the outermost one, which is listed. */
  runId: z.string(),
  runKind: z.enum(['flow', 'agent']),
  rootRunId: z.string(),
  /** Of a flow: the place of the step. Of an agent: the call, and the approval that it takes. */
  path: z.string().optional(),
  callId: z.string().optional(),
  approvalId: z.string().optional(),
  stepId: z.string().nullable(),
  itemKey: z.string().nullable(),
  title: z.string(),
  flowId: z.string().nullable(),
  agentId: z.string().nullable(),
  recordId: z.string().nullable(),
  tags: z.array(z.string()),
  /** As they are compared (`foldAddress`). */
  emails: z.array(z.string()),
  claimedBy: z.string().optional(),
  claimedAt: z.string().optional(),
  since: z.string(),
  /** From when on it is overdue. */
  overdueAt: z.string(),
  expiresAt: z.string(),
  /** When its assignees are reminded by themselves, and when others are told: until that was done. */
  remindAt: z.string().optional(),
  escalateAt: z.string().optional(),
  escalateTo: z.array(z.string()).optional(),
  remindedAt: z.string().optional(),
  /** Of an agent: the tool and its arguments (`WaitingCall`). */
  call: PayloadRef.optional(),
  answer: jsonText<WaitAnswer>().optional(),
  ttl: z.int(),
});
export type InboxWait = z.infer<typeof InboxWait>;

/** What an agent wants to call. */
export interface WaitingCall {
  tool: string;
  arguments: readonly { name: string; value: unknown; origin: string }[];
}

export const inboxSweep = 'WAIT';

/** Those of a status, an index. Newest last. */
export const inboxPartition = (status: InboxWait['status']) => tenantPartition(`INBOX#${status}`);

/** When the sweep looks at an open entry. */
export const nextSweepAt = ({
  remindAt,
  escalateAt,
  expiresAt,
}: Pick<InboxWait, 'remindAt' | 'escalateAt' | 'expiresAt'>): string =>
  [remindAt, escalateAt, expiresAt].filter((at) => at !== undefined).toSorted()[0] ?? expiresAt;

export const inboxWaitEntity = defineEntity({
  type: 'inboxWait',
  noun: 'wait',
  schema: InboxWait,
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`WAIT#${id}`), SK: 'WAIT' }),
  index: (wait) =>
    wait.status === 'open'
      ? {
          PK1: inboxPartition('open'),
          SK1: wait.id,
          ...sweepKeys(inboxSweep, wait.id, nextSweepAt(wait)),
        }
      : {},
  summary: [
    'id',
    'kind',
    'status',
    'runKind',
    'runId',
    'rootRunId',
    'path',
    'recordId',
    'flowId',
    'agentId',
    'tags',
    'emails',
    'claimedBy',
    'overdueAt',
    'expiresAt',
  ],
});

export const toInboxId = (since: string, runId: string, place: string): string =>
  deriveId('wait', Date.parse(since), runId, place);

/** How long an entry is kept after its time. */
const keptDays = 30;

export type NewInboxWait = Omit<StoredOf<typeof inboxWaitEntity>, 'status' | 'ttl' | 'overdueAt'>;

/** Commit it with what opens the wait. */
export const openInboxWrite = ({ writes }: TenantTable, wait: NewInboxWait): Write => {
  const { since, expiresAt, remindAt, escalateAt } = wait;
  const halfTime = (Date.parse(since) + Date.parse(expiresAt)) / 2;
  const stated = [remindAt, escalateAt].filter((at) => at !== undefined).toSorted()[0];
  return writes.insert(inboxWaitEntity, {
    ...wait,
    status: 'open',
    overdueAt: stated ?? new Date(halfTime).toISOString(),
    ttl: unixSeconds(new Date(expiresAt)) + keptDays * 86_400,
  });
};

/** Commit it with what ends the wait. @param answer Without one, the run went on, or is over. */
export function closeInboxWrite(
  { writes }: TenantTable,
  id: string,
  ended: { status: 'answered' | 'expired'; answer: WaitAnswer } | { status: 'closed' },
): Write {
  const { status } = ended;
  const answer = 'answer' in ended ? { answer: JSON.stringify(ended.answer) } : {};
  const index = { PK1: inboxPartition(status), SK1: id };
  return writes.update(inboxWaitEntity, { id }, { set: { status, ...answer }, index, removeFromIndex: 2 });
}
