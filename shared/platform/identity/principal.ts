import { createHash } from 'node:crypto';
import * as z from 'zod';
import { missingPermission, unauthenticated } from '../../core/errors/errors.ts';
import { covers } from './permissions.ts';

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

/** @throws 403 if the caller lacks one of the permissions that the run took when it started. */
export function requireAll({ permissions }: Pick<Principal, 'permissions'>, needed: readonly string[]): void {
  const missing = needed.find((permission) => !covers(permissions, permission));
  if (missing !== undefined) throw missingPermission(missing);
}

type RunOwner = Pick<Principal, 'userId' | 'organizationId'>;

// D84
const prefix = 'visitor:';

/** The owner of the runs of a chat: its visitor instead of the user who made the token. The id is no credential. */
export const toSessionVisitor = <Owner extends RunOwner>(owner: Owner, sessionHash: string): Owner => ({
  ...owner,
  userId: prefix + createHash('sha256').update(`${prefix}${sessionHash}`).digest('hex').slice(0, 32),
});

/** The owner of the runs that nobody with a credential starts on a surface. */
export const toSurfaceVisitor = <Owner extends RunOwner>(owner: Owner, surfaceId: string): Owner => ({
  ...owner,
  userId: prefix + surfaceId,
});

/** The owner of the runs that a caller starts on a surface: the key, whoever made it, or the user of a session. */
export const toSurfaceCaller = <Owner extends Pick<Principal, 'userId' | 'keyId'>>(caller: Owner): Owner =>
  caller.keyId === null ? caller : { ...caller, userId: prefix + caller.keyId };

/** The variables that say for whom a run is. */
export const userVariables = (userId: string) => ({
  _user: { id: userId },
  _visitor: { id: userId.startsWith(prefix) ? userId : null },
});
