import { findTokenScope } from '../../shared/domain/run-waits/wait-link.ts';
import { defineScope, readBodyMember } from '../../shared/platform/auth/public-scope.ts';

/** The tenant whose run waits for the holder of the link. Unknown and used tokens are a 404. */
export const waitLinkScope = defineScope({
  what: 'Link',
  uses: ['credentials'],
  from: (event, runtime) => findTokenScope(readBodyMember(event, 'token'), runtime),
  limit: { per: 'address', perHour: 600, perDay: 5_000 },
});
