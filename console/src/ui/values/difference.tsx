import { useMemo } from 'react';
import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { type Line, linesOf } from './line-difference.ts';
import { isObject } from './schema.ts';
import '../../style/difference.css';

interface Change {
  path: string;
  kind: 'added' | 'removed' | 'changed';
  before?: unknown;
  after?: unknown;
}

const shownMax = 200;
const linesMax = 500;

/** What differs between two JSON values, member by member. */
export function Difference({ before, after }: { before: unknown; after: unknown }) {
  const changes = useMemo(() => changesOf(before, after), [before, after]);
  if (changes.length === 0) return <p className="help">{uiTexts.noDifference}</p>;
  return (
    <>
      <ul className="difference">
        {changes.slice(0, shownMax).map(({ path, kind, before: old, after: now }) => (
          <li key={path}>
            <p>
              <code>{path || sharedTexts.all}</code> {uiTexts[kind]}
            </p>
            <Lines
              before={kind === 'added' ? '' : textOf(old)}
              after={kind === 'removed' ? '' : textOf(now)}
            />
          </li>
        ))}
      </ul>
      {changes.length > shownMax && (
        <p className="help">{uiTexts.moreDifferences(changes.length - shownMax)}</p>
      )}
    </>
  );
}

function Lines({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => linesOf(before, after), [before, after]);
  return (
    <>
      <pre dir="auto">
        {lines.slice(0, linesMax).map(({ kind, text }, place) => {
          const Mark = marks[kind];
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity
          return <Mark key={place}>{text}</Mark>;
        })}
      </pre>
      {lines.length > linesMax && <p className="help">{uiTexts.moreLines(lines.length - linesMax)}</p>}
    </>
  );
}

const marks = { removed: 'del', added: 'ins', same: 'span' } as const satisfies Record<Line['kind'], string>;

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

const textOf = (value: unknown) =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
