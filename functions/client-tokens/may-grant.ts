import { missingPermission } from '../../shared/core/errors/errors.ts';
import type { ClientToken } from '../../shared/domain/client-tokens/client-token.ts';
import { type Principal, requireAll } from '../../shared/platform/identity/principal.ts';

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
