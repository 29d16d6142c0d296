import type { ReactNode } from 'react';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { Dialog } from '../dialogs/dialog.tsx';
import { Button } from '../forms/button.tsx';
import { Time } from '../values/time.tsx';

interface Props {
  changedAt: string;
  isPending: boolean;
  onClose: () => void;
  onLoad: () => void;
  onOverwrite: () => void;
  children: ReactNode;
}

/** Asks whose changes stay, when two people edited the same. */
export const Conflict = ({ changedAt, isPending, onClose, onLoad, onOverwrite, children }: Props) => (
  <Dialog title="Someone else changed this" isOpen onClose={onClose} role="alertdialog">
    <p>
      Somebody saved another version <Time at={changedAt} />, after you began. Yours is not saved yet.
    </p>
    {children}
    <div className="actions">
      <Button onPress={onClose} autoFocus>
        Cancel
      </Button>
      <ConfirmButton
        title="Discard your changes?"
        question="Your changes are lost. This cannot be undone."
        confirm="Discard and reload"
        look="plain"
        action={async () => onLoad()}
      >
        Discard mine
      </ConfirmButton>
      <Button look="danger" isPending={isPending} onPress={onOverwrite}>
        Overwrite
      </Button>
    </div>
  </Dialog>
);
