import { useState } from 'react';
import { workspaceTexts } from '../../../texts/workspace.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { ChangeList } from '../../../ui/values/change-list.tsx';
import { changesIn, looks, type RealChange } from './plan.ts';

const shownAtFirst = 50;
const openAtFirst = 10;

/** The resources of a kind that change. What is updated is open, because that is what somebody reviews. */
export function PlannedChanges({ changes }: { changes: readonly RealChange[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? changes : changes.slice(0, shownAtFirst);
  const open = new Set(changes.filter(({ action }) => action === 'update').slice(0, openAtFirst));
  return (
    <>
      {shown.map((change) => (
        <PlannedChange
          key={`${change.action} ${change.name}`}
          change={change}
          isOpenAtFirst={open.has(change)}
        />
      ))}
      {shown.length < changes.length && (
        <Button look="quiet" onPress={() => setWhole(true)}>
          {workspaceTexts.moreChanges(changes.length - shown.length)}
        </Button>
      )}
    </>
  );
}

function PlannedChange({ change, isOpenAtFirst }: { change: RealChange; isOpenAtFirst: boolean }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { action, name, diff } = change;
  return (
    <details
      className={`workspace-change ${looks[action]}`}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <span className={`status ${looks[action]}`}>{workspaceTexts.actions[action]}</span>
        <bdi>{name}</bdi>
        {action === 'update' && <span className="help">{workspaceTexts.differences(diff.length)}</span>}
      </summary>
      {isOpen &&
        (action === 'publish' ? (
          <p className="help">{workspaceTexts.publishesDraft}</p>
        ) : (
          <ChangeList changes={changesIn(change)} />
        ))}
    </details>
  );
}
