import type { ClientToken } from './client-token.ts';

/** Which origins an entry of `allowedOrigins` names. */
type OriginRule =
  | { kind: 'any' }
  | { kind: 'null' }
  | { kind: 'host'; host: string; port: string | undefined }
  | { kind: 'subdomains'; host: string; port: string | undefined };

const scheme = /^([a-z][a-z0-9+.-]*):\/\//i;
/** A host name, an IPv4 address or an IPv6 address in brackets, and a port. No user, path, query or escapes. */
const authority = /^(\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\%*]+)(?::(\d{1,5}))?$/i;
const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' };

/**
 * Parses an entry of `allowedOrigins`: a host, `host:port`, an origin, `*.host` for its sub-domains, `*` for any caller,
 * or `null`. Ignores the protocol and a slash at the end.
 * @returns `undefined` if no origin can match the entry.
 */
export function parseOriginRule(entry: string): OriginRule | undefined {
  if (entry === '*') return { kind: 'any' };
  if (entry === 'null') return { kind: 'null' };
  const place = entry.replace(scheme, '').replace(/\/$/, '');
  const isWildcard = place.startsWith('*.');
  const parsed = parseAuthority(isWildcard ? place.slice(2) : place);
  if (!parsed || (isWildcard && isAddress(parsed.host))) return undefined;
  return { kind: isWildcard ? 'subdomains' : 'host', ...parsed };
}

/**
 * Whether a request with this `Origin` header may use a token. An entry without a port matches any port. Only `*` matches
 * a missing origin; `*` and `null` match the origin `null`.
 */
export function originMatches(allowedOrigins: readonly string[], origin: string | undefined): boolean {
  const rules = allowedOrigins.flatMap((entry) => parseOriginRule(entry) ?? []);
  if (rules.some(({ kind }) => kind === 'any')) return true;
  if (origin === undefined) return false;
  if (origin === 'null') return rules.some(({ kind }) => kind === 'null');
  const requested = parseOrigin(origin);
  return requested !== undefined && rules.some((rule) => names(rule, requested));
}

/** Whether an entry lets so many sites use a token that it hardly restricts it: `*`, or all of a top-level domain. */
export function isWide(entry: string): boolean {
  const rule = parseOriginRule(entry);
  if (rule?.kind === 'any') return true;
  return rule?.kind === 'subdomains' && !rule.host.includes('.') && rule.host !== 'localhost';
}

interface Place {
  host: string;
  port: string | undefined;
}

function names(rule: OriginRule, { host, port }: Place): boolean {
  if (rule.kind === 'any' || rule.kind === 'null') return false;
  if (rule.port !== undefined && rule.port !== port) return false;
  return rule.kind === 'host' ? host === rule.host : host.endsWith(`.${rule.host}`);
}

/** The host of an `Origin` header, and its port, which a scheme may imply. */
function parseOrigin(origin: string): Place | undefined {
  const [prefix = '', name = ''] = scheme.exec(origin) ?? [];
  const parsed = prefix ? parseAuthority(origin.slice(prefix.length)) : undefined;
  return parsed && { host: parsed.host, port: parsed.port ?? defaultPorts[name.toLowerCase()] };
}

function parseAuthority(text: string): Place | undefined {
  const [, host = '', port] = authority.exec(text) ?? [];
  const canonical = canonicaliseHost(host);
  if (canonical === undefined || (port !== undefined && !isPort(Number(port)))) return undefined;
  return { host: canonical, port: port && String(Number(port)) };
}

const isPort = (port: number) => port >= 1 && port <= 65_535;

/** As browsers write a host: in lower case, in Punycode, without a dot at the end. */
function canonicaliseHost(host: string): string | undefined {
  const hostname = URL.parse(`https://${host.replace(/\.$/, '')}`)?.hostname;
  return hostname && !/^\.|\.\.|\.$/.test(hostname) ? hostname : undefined;
}

/** URLs write every IPv4 address in this form. */
const isAddress = (host: string) => host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host);

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
