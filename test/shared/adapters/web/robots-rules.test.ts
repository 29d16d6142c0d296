import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRobots } from '../../../../shared/adapters/web/robots-rules.ts';

const site = 'https://example.com';
const allowed = (lines: string[], ...paths: string[]) =>
  readRobots({ text: lines.join('\n'), urls: paths.map((path) => site + path) }).allowed;

test.each<[string, string[], Record<string, boolean>]>([
  ['no rules allow everything', [], { '/': true, '/a': true }],
  ['an empty Disallow forbids nothing', ['User-agent: *', 'Disallow:'], { '/a': true }],
  [
    'Disallow: / forbids all but robots.txt',
    ['User-agent: *', 'Disallow: /'],
    { '/': false, '/robots.txt': true },
  ],
  [
    'the longest rule decides, and Allow where two are equally long',
    ['User-agent: *', 'Disallow: /a', 'Allow: /a/b', 'Disallow: /c', 'Allow: /c'],
    { '/a/x': false, '/a/b/x': true, '/c': true, '/d': true },
  ],
  [
    'wildcards and the end of the path',
    ['User-agent: *', 'Disallow: /*.pdf$', 'Disallow: /x*y*z', 'Disallow: /end$'],
    { '/a.pdf': false, '/a.pdf?x': true, '/x1y2z3': false, '/xzy': true, '/end': false, '/ending': true },
  ],
  [
    'its own group counts in place of that for everyone, and several are one',
    [
      'User-agent: *',
      'Disallow: /',
      'User-agent: agent-flow-service/1.0',
      'Disallow: /a',
      '',
      'user-agent: AGENT-FLOW-SERVICE',
      'disallow: /b',
    ],
    { '/': true, '/a': false, '/b': false },
  ],
  [
    'groups that share rules',
    [
      'User-agent: other',
      'User-agent: agent-flow-service',
      'Disallow: /a # why',
      'User-agent: third',
      'Disallow: /b',
    ],
    { '/a': false, '/b': true },
  ],
  [
    'escapes are written alike',
    ['User-agent: *', 'Disallow: /caf\u00e9', 'Disallow: /%7ex'],
    { '/caf%c3%a9': false, '/%7Ex': false },
  ],
  ['rules before any group are nobody’s', ['Disallow: /', 'User-agent: *', 'Allow: /'], { '/a': true }],
])('%s', (_name, lines, paths) => {
  expect(allowed(lines, ...Object.keys(paths))).toEqual(Object.values(paths));
});

test('the delay is that of its group', () => {
  const text =
    'User-agent: *\nCrawl-delay: 9\n\nUser-agent: agent-flow-service\nCrawl-delay: 0.5\nDisallow: /x';
  expect(readRobots({ text, urls: [] }).delaySeconds).toBe(0.5);
});

/** A rule as a regular expression, which is slow but plainly right. */
const expected = (rule: string, path: string) =>
  new RegExp(`^${rule.replace(/\*/g, '.*')}`.replace(/[^$]$/, '$&.*')).test(path);

test('a rule matches like its regular expression', () => {
  const letters = fc.constantFrom('a', 'b', '/', '*');
  const rule = fc.tuple(fc.array(letters, { maxLength: 8 }), fc.boolean());
  fc.assert(
    fc.property(
      rule,
      fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 10 }),
      ([middle, anchored], end) => {
        const pattern = `/${middle.join('')}${anchored ? '$' : ''}`;
        const path = `/${end.join('')}`;
        const [isAllowed] = allowed(['User-agent: *', `Disallow: ${pattern}`], path.replace(/^\/\/+/, '/'));
        expect(isAllowed).toBe(!expected(pattern, path.replace(/^\/\/+/, '/')));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('3,000 rules of 40 wildcards each match long URLs in linear time', () => {
  const rule = (n: number) => `Disallow: /${'*a'.repeat(39)}*${n}`;
  const lines = ['User-agent: *', ...Array.from({ length: 3_000 }, (_, n) => rule(n))];
  const paths = Array.from({ length: 12 }, (_, n) => `/${'a'.repeat(1_900)}b${n % 2 === 0 ? n : ''}`);
  expect(allowed(lines, ...paths)).toEqual(paths.map((_path, n) => n % 2 === 1));
});
