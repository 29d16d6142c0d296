import * as z from 'zod';
import { unauthenticated } from '../../core/errors.ts';

/** Who calls, as the authorizer tells it. API Gateway carries it as a flat map of strings. */
export const Principal = z.object({
  kind: z.enum(['key', 'session', 'intake']),
  /** `org:<id>` or `user:<id>`: whose data this credential reaches. */
  tenant: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  environment: z.enum(['production', 'test']),
  /**
   * Of a key or a setup link only: its id, and the hash of the very value that was sent, so that a rotated one dies at
   * once.
   */
  keyId: z.string().nullable(),
  hash: z.string().nullable(),
  /** Of a session, from its token. A key's come from the meter, live. */
  permissions: z.array(z.string()),
  sourceIp: z.string().nullable(),
  /** Of a session: the Unix second at which its token ends. */
  expiresAt: z.int().optional(),
});
export type Principal = z.infer<typeof Principal>;

/** Data is shared by an organization where the caller belongs to one. */
export const tenantOf = (userId: string, organizationId: string | null) =>
  organizationId ? `org:${encodeURIComponent(organizationId)}` : `user:${encodeURIComponent(userId)}`;

/** What an authorizer's answer carries: one JSON string, because API Gateway allows no nesting in a context. */
export const toContext = (principal: Omit<Principal, 'sourceIp'>) => ({
  principal: JSON.stringify(principal),
});

export function principalFrom(context: {
  authorizer?: Record<string, unknown> | null | undefined;
  identity?: { sourceIp?: string };
}): Principal {
  const carried = context.authorizer?.principal;
  if (typeof carried !== 'string') throw unauthenticated();
  return { ...JSON.parse(carried), sourceIp: context.identity?.sourceIp ?? null } as Principal;
}
