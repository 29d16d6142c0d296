import { hashKey, useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { formTexts } from '../../texts/forms.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { Dialog } from '../dialogs/dialog.tsx';
import { Button } from '../forms/button.tsx';
import { FailureNotice } from '../loading/failure.tsx';
import { Time } from '../values/time.tsx';
import type { BegunEdit } from './edit-fresh.tsx';

interface Options<Stored, Saved> extends BegunEdit<Stored> {
  /** The part of it that is edited. */
  contentOf: (stored: Stored | Saved) => unknown;
  /** Stores the edits in the place of `now`. */
  write: (now: Stored) => Promise<Saved>;
}

/** What is stored is not what the edit began with. */
class ChangedElsewhere extends Error {}

/**
 * Saves edits, unless what they began with was changed elsewhere: then it asks. The API has no precondition for this,
 * so a change in the moment between reading and writing is not seen.
 */
export function useCarefulSave<Stored extends { updatedAt: string }, Saved>({
  stored,
  read,
  restart,
  contentOf,
  write,
}: Options<Stored, Saved>) {
  // Without the order of members, which stores need not keep.
  const hashOf = (each: Stored | Saved) => hashKey([contentOf(each)]);
  const [begun] = useState(() => hashOf(stored));
  const base = useRef(begun);
  const [changedAt, setChangedAt] = useState<string>();
  const { mutateAsync, mutate, data, error, isPending } = useMutation({
    async mutationFn(how: 'check' | 'save' | 'overwrite') {
      const now = await read();
      if (how !== 'overwrite' && hashOf(now) !== base.current) {
        setChangedAt(now.updatedAt);
        throw new ChangedElsewhere();
      }
      if (how === 'check') return undefined;
      const saved = await write(now);
      base.current = hashOf(saved);
      setChangedAt(undefined);
      return saved;
    },
  });
  const failure = error && !(error instanceof ChangedElsewhere) && <FailureNotice error={error} />;
  return {
    /** @throws if it is not saved; `problem` says why. */
    save: () => mutateAsync('save'),
    /** @throws if what is stored was changed elsewhere. */
    unchanged: () => mutateAsync('check'),
    saved: data,
    isPending,
    error,
    problem:
      changedAt === undefined ? (
        failure
      ) : (
        <Conflict
          changedAt={changedAt}
          isPending={isPending}
          onClose={() => setChangedAt(undefined)}
          onLoad={restart}
          onOverwrite={() => mutate('overwrite')}
        >
          {failure}
        </Conflict>
      ),
  };
}

interface Props {
  changedAt: string;
  isPending: boolean;
  onClose: () => void;
  onLoad: () => void;
  onOverwrite: () => void;
  children: ReactNode;
}

/** Asks whose changes stay, when two people edited the same. */
const Conflict = ({ changedAt, isPending, onClose, onLoad, onOverwrite, children }: Props) => (
  <Dialog title={formTexts.someoneElseChangedThis} isOpen onClose={onClose} role="alertdialog">
    <p>{formTexts.anotherVersionSaved(<Time at={changedAt} />)}</p>
    {children}
    <div className="actions">
      <Button onPress={onClose} autoFocus>
        {sharedTexts.cancel}
      </Button>
      <ConfirmButton
        title={formTexts.discardYourChanges}
        question={formTexts.yourChangesAreLost}
        confirm={formTexts.discardAndReload}
        look="plain"
        action={async () => onLoad()}
      >
        {formTexts.discardMine}
      </ConfirmButton>
      <Button look="danger" isPending={isPending} onPress={onOverwrite}>
        {formTexts.overwrite}
      </Button>
    </div>
  </Dialog>
);
