import { type ReactNode, useEffect, useRef, useState } from 'react';
import { workspaceTexts } from '../../../texts/workspace.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Link } from '../../../ui/link.tsx';
import { ChangeList } from '../../../ui/values/change-list.tsx';
import {
  actions,
  changesIn,
  type Kind,
  looks,
  nameAt,
  type Planned,
  type RealChange,
  realChanges,
} from './plan.ts';

/** What a document would do: in numbers, by kind, and why it cannot. */
export function PlanView({ plan, children }: { plan: Planned; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const changes = realChanges(plan.changes);
  const byKind = Map.groupBy(changes, ({ kind }): Kind => kind);
  // It is below the form, and may be beyond the window.
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: 'start' });
  }, []);
  return (
    <section className="workspace-plan" aria-labelledby="plan">
      <h2 id="plan" ref={heading} tabIndex={-1}>
        {workspaceTexts.thePlan}
      </h2>
      {plan.errors.length > 0 && <Errors of={plan} />}
      <p className="workspace-counts">
        {actions.map((action) => {
          const count = changes.filter((change) => change.action === action).length;
          return (
            count > 0 && (
              <span key={action} className={`status ${looks[action]}`}>
                {workspaceTexts.counts[action](count)}
              </span>
            )
          );
        })}
        {changes.length < plan.changes.length && (
          <span className="help">{workspaceTexts.unchanged(plan.changes.length - changes.length)}</span>
        )}
      </p>
      {changes.length === 0 && plan.errors.length === 0 && <p>{workspaceTexts.nothingChanges}</p>}
      {plan.notes.length > 0 && <Notes of={plan.notes} />}
      {[...byKind].map(([kind, list]) => (
        <section key={kind} aria-labelledby={`kind-${kind}`}>
          <h3 id={`kind-${kind}`}>{workspaceTexts.kinds[kind]}</h3>
          <PlannedChanges changes={list} />
        </section>
      ))}
      {changes.length > 0 && plan.errors.length === 0 && children}
    </section>
  );
}

const Errors = ({ of: { errors, changes } }: { of: Planned }) => (
  <div role="alert" className="failure">
    <strong>{workspaceTexts.errors(errors.length)}</strong>
    <ul>
      {errors.map(({ path = '', message }) => (
        <li key={`${path} ${message}`}>{errorText({ path, message }, nameAt(changes, path))}</li>
      ))}
    </ul>
  </div>
);

function errorText({ path, message }: { path: string; message: string }, name: string | undefined) {
  if (!path) return message;
  const place = <code>{path}</code>;
  if (name === undefined) return workspaceTexts.errorAt(place, message);
  return workspaceTexts.errorOf(<bdi className="workspace-name">{name}</bdi>, place, message);
}

export const Notes = ({ of: notes }: { of: readonly string[] }) => (
  <div className="note">
    <strong>{workspaceTexts.notes}</strong>
    <ul>
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
    {notes.some((note) => note.startsWith('The secret ')) && (
      <Link to="/settings/secrets">{workspaceTexts.storeSecrets}</Link>
    )}
  </div>
);

const shownAtFirst = 50;
const openAtFirst = 10;

/** The resources of a kind that change. What is updated is open, because that is what somebody reviews. */
function PlannedChanges({ changes }: { changes: readonly RealChange[] }) {
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
