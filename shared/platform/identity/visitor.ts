import { createHash } from 'node:crypto';
import type { Principal } from './principal.ts';

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
