import { useMemo } from 'react';
import { isObject } from './schema-form/schema.ts';

interface Change {
  path: string;
  kind: 'added' | 'removed' | 'changed';
  before?: unknown;
  after?: unknown;
}

const shownMax = 200;
const textMax = 2_000;

/** What differs between two JSON values, member by member. */
export function Difference({ before, after }: { before: unknown; after: unknown }) {
  const changes = useMemo(() => changesOf(before, after), [before, after]);
  if (changes.length === 0) return <p className="help">There is no difference.</p>;
  return (
    <>
      <ul className="difference">
        {changes.slice(0, shownMax).map(({ path, kind, before: old, after: now }) => (
          <li key={path}>
            <p>
              <code>{path || 'All'}</code> {kind}
            </p>
            {kind !== 'added' && (
              <pre dir="auto" className="removed">
                <span className="visually-hidden">Before: </span>
                {textOf(old)}
              </pre>
            )}
            {kind !== 'removed' && (
              <pre dir="auto" className="added">
                <span className="visually-hidden">After: </span>
                {textOf(now)}
              </pre>
            )}
          </li>
        ))}
      </ul>
      {changes.length > shownMax && <p className="help">{changes.length - shownMax} more differences</p>}
    </>
  );
}

/** Items of lists are compared by their place. */
function changesOf(before: unknown, after: unknown, path = ''): Change[] {
  if (before === after) return [];
  const [old, now] = [membersOf(before), membersOf(after)];
  if (!old || !now || Array.isArray(before) !== Array.isArray(after))
    return [{ path, kind: 'changed', before, after }];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].flatMap((name): Change[] => {
    const place = path ? `${path}.${name}` : name;
    if (!(name in old)) return [{ path: place, kind: 'added', after: now[name] }];
    if (!(name in now)) return [{ path: place, kind: 'removed', before: old[name] }];
    return changesOf(old[name], now[name], place);
  });
}

const membersOf = (value: unknown): Record<string, unknown> | undefined =>
  Array.isArray(value) ? { ...value } : isObject(value) ? value : undefined;

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
  return text.length > textMax ? `${text.slice(0, textMax)} …` : text;
}
