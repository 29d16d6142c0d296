import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import type { ShownWait } from '../../shared/domain/run-waits/inbox-store.ts';
import { type InboxWait, inboxKinds } from '../../shared/domain/run-waits/inbox-wait.ts';
import { covers } from '../../shared/platform/identity/permissions.ts';
import type { Principal } from '../../shared/platform/identity/principal.ts';

export const WaitParams = z.object({ id: resourceId('wait') });

const text = z.string().nullable();

const WaitingCall = z.object({
  tool: z.string(),
  arguments: z.array(
    z.object({
      name: z.string(),
      value: z.unknown(),
      origin: z.string().meta({
        description: 'Where the value occurs: `user`, `tool:<name>` of an earlier result, or `model`',
      }),
    }),
  ),
});

export const GivenAnswer = z.object({
  choice: text,
  values: z.unknown(),
  comment: text,
  answeredBy: text,
  answeredAt: z.string(),
});

export const WaitEntry = z
  .object({
    id: z.string(),
    runId: z.string().meta({ description: 'The run that asks' }),
    rootRunId: z.string().meta({ description: 'The outermost run around it, or itself' }),
    stepId: text,
    itemKey: text,
    kind: z.enum(inboxKinds),
    title: z.string(),
    question: text,
    details: z.union([z.string(), WaitingCall]).nullable().meta({
      description: 'Of a tool approval and a local tool: the tool and its arguments',
    }),
    choices: z.array(z.string()).nullable(),
    form: z.record(z.string(), z.unknown()).nullable(),
    assignees: z.object({ emails: z.array(z.string()) }),
    claimedBy: text,
    claimedAt: text,
    since: z.string(),
    remindedAt: text,
    overdueAt: z.string().meta({ description: 'From when on it is overdue' }),
    expiresAt: z.string(),
    flowId: text,
    agentId: text,
    recordId: text,
    recordName: text,
    tags: z.array(z.string()),
    answer: GivenAnswer.nullable(),
  })
  .meta({
    id: 'Wait',
    examples: [
      {
        id: 'wait_01k9m4v7d3x8qz5w2r6t0y1hbn',
        runId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
        rootRunId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
        stepId: 'step_01k9m4v7d3x8qz5w2r6t0y1hbn',
        itemKey: null,
        kind: 'approval',
        title: 'Refunds: ask',
        question: 'Refund 40 EUR?',
        details: null,
        choices: ['approve', 'reject'],
        form: null,
        assignees: { emails: ['ada@example.com'] },
        claimedBy: null,
        claimedAt: null,
        since: '2026-11-26T09:30:00.000Z',
        remindedAt: null,
        overdueAt: '2026-11-29T21:30:00.000Z',
        expiresAt: '2026-12-03T09:30:00.000Z',
        flowId: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn',
        agentId: null,
        recordId: null,
        recordName: null,
        tags: [],
        answer: null,
      },
    ],
  });

const toolChoices = ['approve', 'reject'];

export function toWaitView({ wait, asked, call, recordName }: ShownWait): z.input<typeof WaitEntry> {
  const isToolApproval = wait.kind === 'tool-approval';
  return {
    id: wait.id,
    runId: wait.runId,
    rootRunId: wait.rootRunId,
    stepId: wait.stepId,
    itemKey: wait.itemKey,
    kind: wait.kind,
    title: wait.title,
    question: isToolApproval ? `Allow the call of ${call?.tool ?? 'a tool'}?` : (asked?.question ?? null),
    details: (call && { ...call, arguments: [...call.arguments] }) ?? asked?.details ?? null,
    choices: isToolApproval ? toolChoices : (asked?.choices ?? null),
    form: asked?.form ?? null,
    assignees: { emails: wait.emails },
    claimedBy: wait.claimedBy ?? null,
    claimedAt: wait.claimedAt ?? null,
    since: wait.since,
    remindedAt: wait.remindedAt ?? null,
    overdueAt: wait.overdueAt,
    expiresAt: wait.expiresAt,
    flowId: wait.flowId,
    agentId: wait.agentId,
    recordId: wait.recordId,
    recordName: recordName ?? null,
    tags: wait.tags,
    answer: wait.answer ?? null,
  };
}

export const readsWaits = ['FLOWS:READ', 'AGENTS:READ'] as const;
export const answersWaits = ['FLOWS:EXECUTE', 'AGENTS:EXECUTE'] as const;

const kindsOf = { flow: 'FLOWS', agent: 'AGENTS' } as const;

/** The kinds of runs whose waits the caller may read, or act on. */
export const listRunKinds = (held: readonly string[], action: 'READ' | 'EXECUTE') =>
  (Object.keys(kindsOf) as InboxWait['runKind'][]).filter((kind) =>
    covers(held, `${kindsOf[kind]}:${action}`),
  );

/** Who claims and answers. */
export const toActor = ({ keyId, userId }: Pick<Principal, 'keyId' | 'userId'>): string => keyId ?? userId;
