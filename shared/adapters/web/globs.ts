import { Minimatch } from 'minimatch';
import { withoutTrailing } from '../../core/text.ts';

/** Linear in the path's length for every pattern: minimatch creates no regular expressions. */
const options = { dot: true, matchBase: true, nocomment: true, nonegate: true, braceExpandMax: 100 };

/** Whether a pattern matches a path or one of its directories. */
export function globMatcher(patterns: readonly string[]): (path: string) => boolean {
  const matchers = patterns.flatMap((pattern) => {
    const place = withoutTrailing(pattern, '/').replace(/^\.?\/+/, '');
    const anywhere = place.includes('/') ? place : `**/${place}`;
    return [place, `${anywhere}/**`].map((glob) => new Minimatch(glob, options));
  });
  return (path) => matchers.some((matcher) => matcher.match(path));
}
