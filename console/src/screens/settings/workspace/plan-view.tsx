import { type ReactNode, useEffect, useRef } from 'react';
import { workspaceTexts } from '../../../texts/workspace.ts';
import { Link } from '../../../ui/link.tsx';
import { actions, type Kind, looks, nameAt, type Planned, realChanges } from './plan.ts';
import { PlannedChanges } from './planned-changes.tsx';

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
