import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { inboxReader } from '../../shared/domain/run-waits/inbox-store.ts';
import { inboxKinds, inboxStatuses } from '../../shared/domain/run-waits/inbox-wait.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { Flag, listOfNames } from '../../shared/platform/data/lists/query-values.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { listRunKinds, readsWaits, toWaitView, WaitEntry } from './schemas.ts';

export const listWaits = defineEndpoint({
  id: 'waits.list',
  method: 'GET',
  path: '/v1/waits',
  permission: readsWaits,
  summary: 'List what runs wait for',
  description:
    'The inbox: approvals and callbacks of flows, tool approvals and local tools of agents. By default what is open, newest first. Shows those of the kinds of runs that the caller may read. A page may be short, because a run went on meanwhile. What is answered or expired is kept for 30 days after its time.',
  query: CursorQuery.extend({
    status: z.enum(inboxStatuses).default('open'),
    kind: listOfNames(inboxKinds).optional(),
    flowId: resourceId('flow').optional(),
    agentId: resourceId('agent').optional(),
    assignee: z.string().min(1).max(320).optional().meta({ description: 'An address that is asked' }),
    claimedBy: z.string().min(1).max(200).optional().meta({ description: 'The id of a user or a key' }),
    overdue: Flag.optional().meta({
      description:
        'Open past its `remindAfterMinutes` or its `escalate.afterMinutes`, else past half of its time',
    }),
    tag: z.string().min(1).max(64).optional().meta({ description: 'One of the tags of the run' }),
    sort: z
      .enum(['since', 'expiresAt'])
      .default('since')
      .meta({ description: '`expiresAt`: the soonest first, of the first 5,000' }),
  }),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(WaitEntry), pagination: CursorPagination }) },
  },
  errors: [400],
  needs: { inbox: inboxReader },

  async handle({ query, permissions }, { inbox }) {
    const { kind: kinds, overdue, ...rest } = query;
    const runKinds = listRunKinds(await permissions(), 'READ');
    const isOverdue = overdue === undefined ? undefined : overdue === 'true';
    const { rows, pagination } = await inbox.list({ ...rest, kinds, overdue: isOverdue, runKinds });
    return { data: rows.map(toWaitView), pagination };
  },
});

export const handler = toLambda(listWaits);
