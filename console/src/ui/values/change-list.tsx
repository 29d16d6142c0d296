import { useMemo } from 'react';
import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { type DifferenceLine, lineDifference } from './line-difference.ts';
import '../../style/difference.css';

export interface Change {
  path: string;
  kind: 'added' | 'removed' | 'changed';
  before?: unknown;
  after?: unknown;
}

const shownMax = 200;
const linesMax = 500;

/** What changes, place by place, with the lines that differ. */
export const ChangeList = ({ changes }: { changes: readonly Change[] }) => (
  <>
    <ul className="difference">
      {changes.slice(0, shownMax).map(({ path, kind, before, after }) => (
        <li key={path}>
          <p>
            <code>{path || sharedTexts.all}</code> {uiTexts[kind]}
          </p>
          <Lines
            before={kind === 'added' ? '' : textOf(before)}
            after={kind === 'removed' ? '' : textOf(after)}
          />
        </li>
      ))}
    </ul>
    {changes.length > shownMax && (
      <p className="help">{uiTexts.moreDifferences(changes.length - shownMax)}</p>
    )}
  </>
);

function Lines({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => lineDifference(before, after), [before, after]);
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

const marks = { removed: 'del', added: 'ins', same: 'span' } as const satisfies Record<
  DifferenceLine['kind'],
  string
>;

const textOf = (value: unknown) =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
