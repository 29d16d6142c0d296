import * as z from 'zod';
import { type ClientToken, tokenEnvironments } from '../../shared/domain/client-tokens/client-token.ts';
import { warningTypes } from '../../shared/domain/client-tokens/origins.ts';
import { deriveKeyFields } from '../../shared/platform/auth/key-format.ts';

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
        rateLimitPerMinute: 10,
        rateLimitPerHour: 100,
        maxMessagesPerSession: 100,
        sessionIdleTimeoutMinutes: 30,
        config: {},
        lastUsedAt: null,
      },
    ],
  });

export const TokenWarnings = z.array(z.object({ type: z.enum(warningTypes), message: z.string() }));

export const toTokenResponse = ({ value, hash: _hash, surface: _surface, ...token }: ClientToken) => {
  const { keyPrefix, searchHint } = deriveKeyFields(value);
  return { ...token, tokenPrefix: keyPrefix, tokenHint: searchHint, tokenValue: value };
};
