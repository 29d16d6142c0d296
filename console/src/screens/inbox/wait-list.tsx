import { useEffect, useRef } from 'react';
import { choiceText } from '../../run/answer-draft.tsx';
import { inboxTexts } from '../../texts/inbox.ts';
import { SelectBox } from '../../ui/selection/select-box.tsx';
import type { RowSelection } from '../../ui/selection/use-selection.ts';
import { Time } from '../../ui/values/time.tsx';
import type { Wait } from './use-inbox.ts';

interface Props {
  rows: readonly Wait[];
  chosenId: string | undefined;
  selection: RowSelection<Wait>;
  onChoose: (id: string) => void;
}

export const WaitList = ({ rows, chosenId, selection, onChoose }: Props) => (
  <ul className="inbox-list" aria-label={inboxTexts.questions}>
    {rows.map((wait) => (
      <Row
        key={wait.id}
        wait={wait}
        isChosen={wait.id === chosenId}
        selection={selection}
        onChoose={() => onChoose(wait.id)}
      />
    ))}
  </ul>
);

interface RowProps {
  wait: Wait;
  isChosen: boolean;
  selection: RowSelection<Wait>;
  onChoose: () => void;
}

function Row({ wait, isChosen, selection, onChoose }: RowProps) {
  const { id, question, title, recordName, answer } = wait;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  const from = [title, recordName].filter(Boolean).join(' · ');
  return (
    <li ref={row} className={isChosen ? 'inbox-row chosen' : 'inbox-row'}>
      {answer === null && <SelectBox selection={selection} id={id} row={wait} />}
      <button type="button" onClick={onChoose} aria-current={isChosen}>
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
}

export const isOverdue = ({ overdueAt, answer }: Wait): boolean =>
  answer === null && Date.parse(overdueAt) <= Date.now();

/** When its time is over, and whether it is overdue or claimed. */
const WaitTime = ({ wait }: { wait: Wait }) => (
  <>
    {isOverdue(wait) && Date.parse(wait.expiresAt) > Date.now() && (
      <span className="status warn">{inboxTexts.overdue}</span>
    )}
    <span className="help">
      <Time at={wait.expiresAt} />
    </span>
  </>
);
