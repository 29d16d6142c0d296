import { useMemo, useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { flowTexts } from '../../texts/flows.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Choice } from '../../ui/forms/choice.tsx';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { JsonDifference } from '../../ui/values/difference.tsx';
import { type StepChange, stepChanges } from './step-diff.ts';

interface Props {
  flowId: string;
  /** The ids of the versions that one can compare, and what each is called. */
  versions: readonly { value: string; label: string }[];
  from: string;
  to: string;
  onChange: (ids: { from: string; to: string }) => void;
}

/** What differs between two versions, step by step. */
export function FlowVersionDifference({ flowId, versions, from, to, onChange }: Props) {
  const old = useCall('flow-versions.get', { params: { flowId, versionId: from } });
  const now = useCall('flow-versions.get', { params: { flowId, versionId: to } });
  return (
    <section className="card" aria-labelledby="difference">
      <h2 id="difference">{flowTexts.differences}</h2>
      <div className="runs-options">
        <Choice
          label={flowTexts.from}
          value={from}
          options={versions}
          onChange={(next) => onChange({ from: next, to })}
        />
        <Choice
          label={flowTexts.to}
          value={to}
          options={versions}
          onChange={(next) => onChange({ from, to: next })}
        />
      </div>
      <Loaded of={old}>
        {(before) => (
          <Loaded of={now}>
            {(after) => (
              <Changes before={before.flowConfig?.steps ?? []} after={after.flowConfig?.steps ?? []} />
            )}
          </Loaded>
        )}
      </Loaded>
    </section>
  );
}

/** So many steps are laid out at first, and so many more on request. */
const pageSteps = 100;

function Changes({ before, after }: { before: readonly object[]; after: readonly object[] }) {
  const changes = useMemo(() => stepChanges(before, after), [before, after]);
  const [shown, setShown] = useState(pageSteps);
  return (
    <>
      <p role="status">
        {changes.length === 0 ? flowTexts.stepsAreSame : flowTexts.stepsDiffer(changes.length)}
      </p>
      <ul className="runs-groups">
        {changes.slice(0, shown).map((change) => (
          <Change key={change.id} change={change} />
        ))}
      </ul>
      {changes.length > shown && (
        <Button onPress={() => setShown(shown + pageSteps)}>{sharedTexts.showMore}</Button>
      )}
    </>
  );
}

function Change({ change: { name, kind, members } }: { change: StepChange }) {
  const [isOpen, setOpen] = useState(kind === 'changed');
  const summary = (
    <>
      <span className={`status ${looks[kind] ?? 'busy'}`}>{kindTexts[kind]}</span> <bdi>{name}</bdi>
    </>
  );
  return (
    <li>
      {members.length === 0 ? (
        <p>{summary}</p>
      ) : (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{summary}</summary>
          {isOpen && <JsonDifference before={side(members, 'before')} after={side(members, 'after')} />}
        </details>
      )}
    </li>
  );
}

const side = (members: StepChange['members'], which: 'before' | 'after') =>
  Object.fromEntries(
    members.flatMap((member) => (member[which] === undefined ? [] : [[member.name, member[which]]])),
  );

const kindTexts: Record<StepChange['kind'], string> = {
  added: uiTexts.added,
  removed: uiTexts.removed,
  moved: flowTexts.moved,
  changed: uiTexts.changed,
  'moved and changed': flowTexts.movedAndChanged,
};

const looks: Record<string, string> = { added: 'good', removed: 'bad' };
