import * as z from 'zod';
import { unauthenticated } from '../../core/errors/errors.ts';

/** The caller, as the authorizer identifies it. API Gateway passes it on as a flat map of strings. */
export const Principal = z.object({
  kind: z.enum(['key', 'session', 'intake', 'surface']),
  /** `org:<id>` or `user:<id>`: the owner of the data that the credential can access. */
  tenant: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  environment: z.enum(['production', 'test']),
  /** Null for sessions. The hash is that of the value sent, so that a rotated value is invalid at once. */
  keyId: z.string().nullable(),
  hash: z.string().nullable(),
  /** For sessions, from the token. The request gate reads the permissions of API keys from the table. */
  permissions: z.array(z.string()),
  sourceIp: z.string().nullable(),
  /** For surface keys: the surface that they can use. */
  surfaceId: z.string().optional(),
  /** For keys of products: the only product whose surfaces they can use. */
  productId: z.string().optional(),
  /** For sessions: the expiry of the token in Unix seconds. */
  expiresAt: z.int().optional(),
});
export type Principal = z.infer<typeof Principal>;

/** Members of an organization share its data. */
export const toTenant = (userId: string, organizationId: string | null) =>
  organizationId ? `org:${encodeURIComponent(organizationId)}` : `user:${encodeURIComponent(userId)}`;

/** One JSON string, because API Gateway allows no nested values. Beside it, what the access log states. */
export const toContext = (principal: Omit<Principal, 'sourceIp'>) => ({
  principal: JSON.stringify(principal),
  tenant: principal.tenant,
  kind: principal.kind,
  keyId: principal.keyId ?? '',
});

export function readPrincipal(context: {
  authorizer?: Record<string, unknown> | null | undefined;
  identity?: { sourceIp?: string };
}): Principal {
  const carried = context.authorizer?.principal;
  if (typeof carried !== 'string') throw unauthenticated();
  return { ...JSON.parse(carried), sourceIp: context.identity?.sourceIp ?? null } as Principal;
}
