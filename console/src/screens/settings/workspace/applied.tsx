import { useEffect, useRef, useState } from 'react';
import type { OperationResponse } from '../../../api/api.ts';
import { workspaceTexts } from '../../../texts/workspace.ts';
import { LeaveQuestion } from '../../../ui/dialogs/leave-question.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { CopyButton } from '../../../ui/forms/copy-button.tsx';
import { TextBox } from '../../../ui/forms/text-box.tsx';
import { Link } from '../../../ui/link.tsx';
import { type Kind, looks, realChanges, type ShownChange } from './plan.ts';
import { Notes } from './plan-view.tsx';

type Result = OperationResponse<'workspace.apply'>;

interface Props {
  result: Result;
  onClose: () => void;
}

const lists: Record<Kind, string> = {
  modelConfigs: '/settings/models',
  tools: '/settings/tools',
  flows: '/flows',
  agents: '/agents',
  products: '/products',
  budgets: '/settings/budgets',
};

/** What an apply did, and the secrets that only it shows. */
export function Applied({ result: { changes, notes, secrets }, onClose }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [isStored, setStored] = useState(false);
  const isHeld = secrets.length > 0 && !isStored;
  // The buttons that held the focus are gone.
  const begin = () => heading.current?.focus();
  useEffect(begin, []);
  function store() {
    setStored(true);
    begin();
  }
  const done = realChanges(changes.map((change): ShownChange => ({ ...change, diff: [] })));
  return (
    <section className="card" aria-labelledby="applied">
      <h2 id="applied" ref={heading} tabIndex={-1}>
        {workspaceTexts.applied(done.length)}
      </h2>
      <LeaveQuestion isChanged={isHeld}>{workspaceTexts.secretsAreLost}</LeaveQuestion>
      {isHeld && <Secrets of={secrets} onStored={store} />}
      {notes.length > 0 && <Notes of={notes} />}
      <ul className="workspace-done">
        {done.map(({ kind, name, action }) => (
          <li key={`${kind} ${name}`}>
            <span className={`status ${looks[action]}`}>{workspaceTexts.done[action]}</span>
            <bdi>{name}</bdi>
            <Link to={lists[kind]}>{workspaceTexts.kinds[kind]}</Link>
          </li>
        ))}
      </ul>
      {!isHeld && (
        <div className="actions">
          <Button onPress={onClose}>{workspaceTexts.importAnother}</Button>
        </div>
      )}
    </section>
  );
}

const Secrets = ({ of: secrets, onStored }: { of: Result['secrets']; onStored: () => void }) => (
  <section className="workspace-secrets" aria-labelledby="made-secrets">
    <h3 id="made-secrets">{workspaceTexts.madeSecrets}</h3>
    <p>{workspaceTexts.aboutMadeSecrets}</p>
    {secrets.map(({ kind, name, path, value }) => (
      <div key={`${kind} ${name} ${path}`}>
        <p>
          <bdi>{name}</bdi> <code>{path}</code>
        </p>
        <TextBox label={`${name}: ${path}`}>{value}</TextBox>
        <CopyButton text={value} />
      </div>
    ))}
    <Button look="primary" onPress={onStored}>
      {workspaceTexts.storedThem}
    </Button>
  </section>
);
