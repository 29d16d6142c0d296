import { useMemo } from 'react';
import { uiTexts } from '../../texts/ui.ts';
import { type Change, ChangeList } from './change-list.tsx';
import { isObject } from './schema.ts';

/** What differs between two JSON values, member by member. */
export function JsonDifference({ before, after }: { before: unknown; after: unknown }) {
  const changes = useMemo(() => changesOf(before, after), [before, after]);
  if (changes.length === 0) return <p className="help">{uiTexts.noDifference}</p>;
  return <ChangeList changes={changes} />;
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
    if (!Object.hasOwn(old, name)) return [{ path: place, kind: 'added', after: now[name] }];
    if (!Object.hasOwn(now, name)) return [{ path: place, kind: 'removed', before: old[name] }];
    return changesOf(old[name], now[name], place);
  });
}

const membersOf = (value: unknown): Record<string, unknown> | undefined =>
  Array.isArray(value) ? { ...value } : isObject(value) ? value : undefined;
