import type { ClientToken } from './client-token.ts';
import { isWide, parseOriginRule } from './origins.ts';

export const warningTypes = ['WILDCARD_ORIGIN', 'LOCAL_ORIGIN', 'NOTHING_TO_RUN', 'INACTIVE'] as const;

export interface TokenWarning {
  type: (typeof warningTypes)[number];
  message: string;
}

/** What is allowed, but likely a mistake. */
export function findTokenWarnings(token: ClientToken): TokenWarning[] {
  const warnings: TokenWarning[] = [];
  const warn = (type: TokenWarning['type'], message: string) => warnings.push({ type, message });
  const wide = token.allowedOrigins.find(isWide);
  if (wide !== undefined) {
    warn(
      'WILDCARD_ORIGIN',
      `The origin ${wide} lets other people's sites use the token. List your own sites`,
    );
  }
  const local = token.environment === 'live' ? token.allowedOrigins.find(isLocal) : undefined;
  if (local !== undefined) {
    warn('LOCAL_ORIGIN', `The origin ${local} is for development. Create a token of the environment test`);
  }
  if (token.flowIds.length + token.agentIds.length === 0 && !token.surface) {
    warn('NOTHING_TO_RUN', 'The token has no flows and no agents: pages cannot do anything with it');
  }
  if (!token.isActive) warn('INACTIVE', 'The token is inactive: pages cannot use it');
  return warnings;
}

function isLocal(entry: string): boolean {
  const rule = parseOriginRule(entry);
  if (rule?.kind !== 'host' && rule?.kind !== 'subdomains') return false;
  return rule.host === 'localhost' || rule.host.endsWith('.localhost') || /^127\.|^\[::1\]$/.test(rule.host);
}
