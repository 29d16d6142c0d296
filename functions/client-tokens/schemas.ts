import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo } from '../../shared/core/name.ts';
import { latestVersion, tokenEnvironments } from '../../shared/domain/client-tokens/client-token.ts';
import { parseOriginRule } from '../../shared/domain/client-tokens/origins.ts';

export const ClientTokenParams = z.object({ id: resourceId('clienttoken') });

const listMax = 100;

const AllowedOrigin = z.string().refine((entry) => parseOriginRule(entry) !== undefined, {
  params: { code: 'INVALID_FORMAT' },
  message:
    'No origin can match this entry. Send a host (example.com), a host with a port, an origin, *.example.com for sub-domains, or * for any',
});

const defaults = {
  pinToVersion: latestVersion,
  rateLimitPerMinute: 10,
  rateLimitPerHour: 100,
  maxMessagesPerSession: 100,
  sessionIdleTimeoutMinutes: 30,
} as const;

const limits = {
  rateLimitPerMinute: z.int().min(1).max(1_000),
  rateLimitPerHour: z.int().min(1).max(10_000),
  maxMessagesPerSession: z.int().min(1).max(1_000),
  sessionIdleTimeoutMinutes: z.int().min(1).max(1_440),
};

/** The members of a config that are no display. */
const Permissions = z.object({
  clientTools: z.union([z.boolean(), z.array(z.string().min(1).max(140)).max(100)]).optional(),
  approvals: z.boolean().optional(),
});

const members = {
  name: nameUpTo(255),
  flowIds: z.array(resourceId('flow')).max(listMax),
  defaultFlowId: resourceId('flow'),
  agentIds: z.array(resourceId('agent')).max(listMax),
  allowedOrigins: z.array(AllowedOrigin).min(1).max(listMax).meta({
    description:
      'The pages that may use the token: `example.com` (with any port), `example.com:8443`, `https://example.com` (the protocol is ignored), `*.example.com` (its sub-domains), `null` (pages without an origin), or `*` (any caller)',
  }),
  pinToVersion: z
    .union([z.literal(latestVersion), resourceId('flowver'), resourceId('agentver')], {
      error: `Expected "${latestVersion}", or the id of a version: flowver_… or agentver_…`,
    })
    .meta({
      description:
        '`latest`, or the id of a published version of a flow or an agent of the token, which then runs that version',
    }),
  config: z
    .record(z.string(), z.unknown())
    .superRefine((config, context) => {
      for (const { path, message } of Permissions.safeParse(config).error?.issues ?? [])
        context.addIssue({ code: 'custom', path: [...path], message });
    })
    .meta({
      description:
        'How a page shows the chat: `placeholder`, `welcomeMessage`, `theme` and further members. `clientTools` says which tools of the page an agent may use: `true`, or a list of names (`webmcp:<name>` for those of the page itself, `webmcp:*` for all of these); by default none. `approvals: true` lets the visitor allow and deny calls that need an approval; by default only the tenant does',
    }),
};

export const CreateClientTokenBody = z
  .strictObject({
    ...members,
    flowIds: members.flowIds.default([]),
    agentIds: members.agentIds.default([]),
    defaultFlowId: members.defaultFlowId.optional(),
    environment: z.enum(tokenEnvironments).default('live').meta({
      description: 'With a test token, drafts run. A test API key can create test tokens only',
    }),
    pinToVersion: members.pinToVersion.default(defaults.pinToVersion),
    config: members.config.default({}),
    rateLimitPerMinute: limits.rateLimitPerMinute.default(defaults.rateLimitPerMinute),
    rateLimitPerHour: limits.rateLimitPerHour.default(defaults.rateLimitPerHour),
    maxMessagesPerSession: limits.maxMessagesPerSession.default(defaults.maxMessagesPerSession),
    sessionIdleTimeoutMinutes: limits.sessionIdleTimeoutMinutes.default(defaults.sessionIdleTimeoutMinutes),
    productSurfaceId: resourceId('surface').optional().meta({
      description: 'A surface of the type `chat` whose token this is. Deleting the surface deletes the token',
    }),
  })
  .meta({
    examples: [
      { name: 'Shop', allowedOrigins: ['example.com'], flowIds: ['flow_01k9m4v7d3x8qz5w2r6t0y1hbn'] },
    ],
  });

const orDefault = <S extends z.ZodType>(schema: S, value: z.output<S>) =>
  schema
    .nullable()
    .transform((input): z.output<S> => input ?? value)
    .optional();

export const UpdateClientTokenBody = z
  .strictObject({
    name: members.name.optional(),
    flowIds: members.flowIds.min(1).optional(),
    defaultFlowId: members.defaultFlowId.nullable().optional(),
    agentIds: members.agentIds.optional(),
    allowedOrigins: members.allowedOrigins.optional(),
    isActive: z.boolean().optional(),
    pinToVersion: orDefault(members.pinToVersion, defaults.pinToVersion),
    config: orDefault(members.config, {}),
    rateLimitPerMinute: orDefault(limits.rateLimitPerMinute, defaults.rateLimitPerMinute),
    rateLimitPerHour: orDefault(limits.rateLimitPerHour, defaults.rateLimitPerHour),
    maxMessagesPerSession: orDefault(limits.maxMessagesPerSession, defaults.maxMessagesPerSession),
    sessionIdleTimeoutMinutes: orDefault(
      limits.sessionIdleTimeoutMinutes,
      defaults.sessionIdleTimeoutMinutes,
    ),
  })
  .meta({ examples: [{ isActive: false }] });
