import { memo, useEffect, useMemo, useRef } from 'react';
import { choiceText } from '../../run/answer-draft.tsx';
import { inboxTexts } from '../../texts/inbox.ts';
import { uiTexts } from '../../texts/ui.ts';
import { SelectAllBox, SelectBox } from '../../ui/selection/select-box.tsx';
import type { RowSelection } from '../../ui/selection/use-selection.ts';
import { Time } from '../../ui/values/time.tsx';
import type { InboxEntry } from './use-inbox.ts';

interface Props {
  rows: readonly InboxEntry[];
  chosenId: string | undefined;
  selection: RowSelection<InboxEntry>;
  onChoose: (id: string) => void;
}

export function WaitList({ rows, chosenId, selection, onChoose }: Props) {
  const stable = useStable({ selection, onChoose });
  return (
    <>
      {rows.some(({ answer }) => answer === null) && (
        <div className="inbox-list-head">
          <SelectAllBox selection={selection} />
          <span className="help" aria-hidden="true">
            {uiTexts.selectLoaded(selection.loaded)}
          </span>
        </div>
      )}
      <ul className="inbox-list" aria-label={inboxTexts.questions}>
        {rows.map((wait) => (
          <Row
            key={wait.id}
            wait={wait}
            isChosen={wait.id === chosenId}
            isSelected={selection.ids.has(wait.id)}
            {...stable}
          />
        ))}
      </ul>
    </>
  );
}

/** The same objects as long as the list is there, so that a key draws only the rows that change. */
function useStable(newest: Pick<Props, 'selection' | 'onChoose'>): Pick<Props, 'selection' | 'onChoose'> {
  const latest = useRef(newest);
  latest.current = newest;
  return useMemo(
    () => ({
      selection: {
        ...latest.current.selection,
        get ids() {
          return latest.current.selection.ids;
        },
        toggle: (...args) => latest.current.selection.toggle(...args),
      },
      onChoose: (id) => latest.current.onChoose(id),
    }),
    [],
  );
}

interface RowProps {
  wait: InboxEntry;
  isChosen: boolean;
  /** Draws it again when it changes. */
  isSelected: boolean;
  selection: RowSelection<InboxEntry>;
  onChoose: (id: string) => void;
}

const Row = memo(function Row({ wait, isChosen, selection, onChoose }: RowProps) {
  const { id, question, title, recordName, answer } = wait;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  const from = [title, recordName].filter(Boolean).join(' · ');
  return (
    <li ref={row} className={isChosen ? 'inbox-row chosen' : 'inbox-row'}>
      {answer === null && <SelectBox selection={selection} id={id} row={wait} />}
      <button type="button" onClick={() => onChoose(id)} aria-current={isChosen}>
        <span className="inbox-row-question">{question ?? title}</span>
        <span className="help inbox-row-from">{question === null ? inboxTexts.kinds[wait.kind] : from}</span>
        <span className="inbox-row-state">
          {answer ? (
            <span className="help">
              {answer.choice === null ? inboxTexts.sent : choiceText(answer.choice)}
            </span>
          ) : (
            <WaitTime wait={wait} />
          )}
        </span>
      </button>
    </li>
  );
});

export const isOverdue = ({ overdueAt, answer }: InboxEntry): boolean =>
  answer === null && Date.parse(overdueAt) <= Date.now();

/** When its time is over, and whether it is overdue or claimed. */
const WaitTime = ({ wait }: { wait: InboxEntry }) => (
  <>
    {isOverdue(wait) && Date.parse(wait.expiresAt) > Date.now() && (
      <span className="status warn">{inboxTexts.overdue}</span>
    )}
    {wait.claimedBy !== null && <span className="status busy">{inboxTexts.claimed}</span>}
    <span className="help">
      <Time at={wait.expiresAt} />
    </span>
  </>
);
