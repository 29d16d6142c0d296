import { memoise } from '../../core/cache.ts';
import { userAgent } from '../net/sendable-headers.ts';

/** An `Allow` or `Disallow` line for this service. */
interface Rule {
  allow: boolean;
  /** The literal parts of the path between wildcards. */
  pieces: string[];
  /** Whether the path must end with the rule. */
  anchored: boolean;
  /** The minimum length of a matching path. */
  shortest: number;
  /** The rule with the longest path wins (RFC 9309, 2.2.2). */
  length: number;
}

interface Group {
  agents: string[];
  rules: Rule[];
  delaySeconds?: number;
}

/** Applies a robots.txt: which pages this service may read, and the requested delay between requests. */
export function readRobots({ text, urls }: { text: string; urls: readonly string[] }): {
  allowed: boolean[];
  delaySeconds: number;
} {
  const { rules, delaySeconds } = forThisService(text);
  return { allowed: urls.map((url) => isAllowed(rules, url)), delaySeconds };
}

/** The rules of all groups that name this service, else of those for everyone. */
const forThisService = memoise((text) => {
  const groups = parseGroups(text);
  const named = groups.filter(({ agents }) => agents.includes(userAgent));
  const meant = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'));
  return {
    rules: meant.flatMap(({ rules }) => rules),
    delaySeconds: meant.findLast((group) => group.delaySeconds !== undefined)?.delaySeconds ?? 0,
  };
});

function parseGroups(text: string): Group[] {
  const groups: Group[] = [];
  let begins = true;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*:([^#]*)/.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key === 'user-agent') {
      if (begins) groups.push({ agents: [], rules: [] });
      groups.at(-1)?.agents.push(value.trim().toLowerCase().replace(/\/.*/, ''));
      begins = false;
      continue;
    }
    const group = groups.at(-1);
    if (!group || !['allow', 'disallow', 'crawl-delay'].includes(key)) continue;
    begins = true;
    if (key === 'crawl-delay') group.delaySeconds = Number(value) || 0;
    // An empty path matches nothing.
    else if (value.trim() !== '') group.rules.push(parseRule(key === 'allow', value.trim()));
  }
  return groups;
}

function parseRule(allow: boolean, path: string): Rule {
  const pattern = normalisePath(path);
  const anchored = pattern.endsWith('$');
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split(/\*+/);
  const shortest = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return { allow, pieces, anchored, shortest, length: pattern.length };
}

function isAllowed(rules: readonly Rule[], address: string): boolean {
  const { pathname, search } = new URL(address);
  if (pathname === '/robots.txt') return true;
  const path = normalisePath(pathname + search);
  let decisive: Rule | undefined;
  for (const rule of rules) {
    const wins =
      !decisive || rule.length > decisive.length || (rule.length === decisive.length && rule.allow);
    if (wins && matches(rule, path)) decisive = rule;
  }
  return decisive?.allow ?? true;
}

/** Searches each part after the previous one, without backtracking. */
function matches({ pieces, anchored, shortest }: Rule, path: string): boolean {
  if (path.length < shortest) return false;
  let end = 0;
  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    const at = index === 0 ? 0 : anchored && isLast ? path.length - piece.length : path.indexOf(piece, end);
    if (at < end || !path.startsWith(piece, at)) return false;
    end = at + piece.length;
  }
  return !anchored || end === path.length;
}

/** Percent-encodes a path, so that rules and URLs are comparable. */
function normalisePath(path: string): string {
  const encoded = path.isWellFormed() ? encodeURI(path).replaceAll('%25', '%') : path;
  return encoded.replace(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase());
}
