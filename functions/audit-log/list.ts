import * as z from 'zod';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { checkRange, Moment } from '../../shared/platform/data/lists/query-values.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { Audit, auditDays, auditLog } from '../../shared/platform/identity/audit.ts';

const AuditEntry = Audit.omit({ ttl: true })
  .extend({
    targetId: z.string().meta({ description: 'The id of what changed; several ids are separated by commas' }),
    details: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What the action changed, such as permissions. Never a value' }),
    kind: z.string().meta({ description: 'The credential: key, session, intake (a setup link) or surface' }),
    keyId: z.string().nullable().meta({ description: 'Null for sessions' }),
  })
  .meta({
    id: 'AuditEntry',
    examples: [
      {
        id: 'audit_01k9m4v7d3x8qz5w2r6t0y1hbn',
        at: '2026-11-22T09:30:00.000Z',
        action: 'secret.rotated',
        targetId: 'secret_01k9m4v7d3x8qz5w2r6t0y1hbn',
        details: { key: 'CRM_TOKEN', version: 2 },
        userId: 'ada',
        kind: 'session',
        keyId: null,
        sourceIp: '203.0.113.7',
      },
    ],
  });

export const listAuditLog = defineEndpoint({
  id: 'audit-log.list',
  method: 'GET',
  path: '/v1/audit-log',
  permission: '*',
  summary: 'List changes to keys and secrets',
  description: `Newest first: who created, changed, revealed or deleted API keys, surface keys, client tokens, provider keys, model configs, secrets and credentials of agents. Kept for ${auditDays} days. Values are not in the log. A page may have fewer entries than \`limit\`, or none, while \`hasMore\` is true: continue with \`nextCursor\`.`,
  query: CursorQuery.pick({ limit: true })
    .extend({
      cursor: z.string().optional().meta({ description: 'The nextCursor of an earlier response' }),
      action: z.string().max(100).optional().meta({ description: 'Such as api-key.created' }),
      targetId: z
        .string()
        .regex(/^[a-z]+_[0-9a-z]{26}$/, 'Expected an id')
        .optional()
        .meta({ description: 'The id of a key, a secret, …' }),
      from: Moment.optional().meta({ description: 'Recorded at this time or later' }),
      to: Moment.optional().meta({ description: 'Recorded at this time or earlier' }),
    })
    .check(checkRange),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        data: z.array(AuditEntry),
        pagination: CursorPagination.pick({ nextCursor: true, hasMore: true, limit: true }).meta({
          id: 'AuditPagination',
        }),
      }),
    },
  },
  errors: [400],
  needs: { log: auditLog },

  async handle({ query }, { log }) {
    const { entries, nextCursor } = await log(query);
    return { data: entries, pagination: { nextCursor, hasMore: nextCursor !== null, limit: query.limit } };
  },
});

export const handler = toLambda(listAuditLog);
