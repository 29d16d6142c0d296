import * as z from 'zod';
import { missingPermission } from '../../shared/core/errors.ts';
import { idOf } from '../../shared/core/ids.ts';
import { nameUpTo } from '../../shared/core/name.ts';
import {
  type ClientToken,
  latestVersion,
  tokenEnvironments,
} from '../../shared/domain/client-tokens/client-token.ts';
import { parseOriginRule } from '../../shared/domain/client-tokens/origins.ts';
import { warningTypes } from '../../shared/domain/client-tokens/token-warnings.ts';
import { keyPrefixOf, searchHintOf } from '../../shared/platform/auth/key-format.ts';
import type { Principal } from '../../shared/platform/identity/principal.ts';
import { requireAll } from '../../shared/platform/identity/require-all.ts';

export const ClientTokenParams = z.object({ id: idOf('clienttoken') });

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

const members = {
  name: nameUpTo(255),
  flowIds: z.array(idOf('flow')).max(listMax),
  defaultFlowId: idOf('flow'),
  agentIds: z.array(idOf('agent')).max(listMax),
  allowedOrigins: z.array(AllowedOrigin).min(1).max(listMax).meta({
    description:
      'The pages that may use the token: `example.com` (with any port), `example.com:8443`, `https://example.com` (the protocol is ignored), `*.example.com` (its sub-domains), `null` (pages without an origin), or `*` (any caller)',
  }),
  pinToVersion: z.union([z.literal(latestVersion), idOf('flowver'), idOf('agentver')]).meta({
    description:
      '`latest`, or the id of a published version of a flow or an agent of the token, which then runs that version',
  }),
  config: z.record(z.string(), z.unknown()).meta({
    description: 'How a page shows the chat: `placeholder`, `welcomeMessage`, `theme` and further members',
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
    productSurfaceId: idOf('surface').optional().meta({
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
    .transform((given): z.output<S> => given ?? value)
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

const identity = {
  id: z.string(),
  name: z.string().nullable(),
  flowIds: z.array(z.string()),
  defaultFlowId: z.string().nullable(),
  agentIds: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  environment: z.enum(tokenEnvironments),
  pinToVersion: z.string().nullable(),
  isActive: z.boolean(),
  tokenPrefix: z.string(),
  tokenHint: z.string().nullable(),
  tokenValue: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
};

const identityExample = {
  id: 'clienttoken_01k9m4v7d3x8qz5w2r6t0y1hbn',
  name: 'Shop',
  flowIds: ['flow_01k9m4v7d3x8qz5w2r6t0y1hbn'],
  defaultFlowId: null,
  agentIds: [],
  allowedOrigins: ['example.com'],
  environment: 'live' as const,
  pinToVersion: 'latest',
  isActive: true,
  tokenPrefix: 'ct_live_8Fh2',
  tokenHint: 'q7Zd',
  tokenValue: 'ct_live_8Fh2…q7Zd',
  createdAt: '2026-11-22T09:30:00.000Z',
  updatedAt: '2026-11-22T09:30:00.000Z',
};

/** What a regenerated token is shown with. */
export const RegeneratedToken = z
  .object(identity)
  .meta({ id: 'RegeneratedClientToken', examples: [identityExample] });

export const ClientTokenResponse = z
  .object({
    ...identity,
    rateLimitPerMinute: z.int().nullable(),
    rateLimitPerHour: z.int().nullable(),
    maxMessagesPerSession: z.int().nullable(),
    sessionIdleTimeoutMinutes: z.int().nullable(),
    config: z.record(z.string(), z.unknown()),
    lastUsedAt: z.string().nullable(),
    conversationCount: z
      .int()
      .optional()
      .meta({ description: 'Only of a single token, and not of one with very many conversations' }),
  })
  .meta({
    id: 'ClientToken',
    examples: [
      {
        ...identityExample,
        ...{ rateLimitPerMinute: 10, rateLimitPerHour: 100, maxMessagesPerSession: 100 },
        ...{ sessionIdleTimeoutMinutes: 30, config: {}, lastUsedAt: null },
      },
    ],
  });

export const TokenWarnings = z.array(z.object({ type: z.enum(warningTypes), message: z.string() }));

export const toTokenResponse = ({ value, hash: _hash, surface: _surface, ...token }: ClientToken) => ({
  ...token,
  tokenPrefix: keyPrefixOf(value),
  tokenHint: searchHintOf(value),
  tokenValue: value,
});

type Runnable = Pick<ClientToken, 'environment' | 'flowIds' | 'agentIds'> & { surface: unknown };

/**
 * Whoever changes what pages can run with a token must be able to run it too.
 * @throws 403
 */
export function assertMayGrant(principal: Principal, token: Runnable): void {
  if (principal.environment === 'test' && token.environment !== 'test') {
    throw missingPermission('CLIENT_TOKENS:WRITE', 'TEST_KEY_PERMISSION_DENIED');
  }
  requireAll(principal, [
    ...(token.flowIds.length > 0 ? ['FLOWS:EXECUTE'] : []),
    ...(token.agentIds.length > 0 ? ['AGENTS:EXECUTE'] : []),
    ...(token.surface ? ['PRODUCTS:EXECUTE'] : []),
  ]);
}
