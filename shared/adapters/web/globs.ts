import { Minimatch } from 'minimatch';
import { withoutTrailing } from '../../core/text.ts';

/** Linear in the path's length, whatever the pattern: minimatch makes no regular expressions. */
const options = { dot: true, matchBase: true, nocomment: true, nonegate: true, braceExpandMax: 100 };

/** Whether a path, or a directory that it lies in, is named by one of the patterns. */
export function globMatcher(patterns: readonly string[]): (path: string) => boolean {
  const matchers = patterns.flatMap((pattern) => {
    const place = withoutTrailing(pattern, '/').replace(/^\.?\/+/, '');
    const anywhere = place.includes('/') ? place : `**/${place}`;
    return [place, `${anywhere}/**`].map((glob) => new Minimatch(glob, options));
  });
  return (path) => matchers.some((matcher) => matcher.match(path));
}
