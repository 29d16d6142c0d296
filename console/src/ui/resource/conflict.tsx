import type { ReactNode } from 'react';
import { formTexts } from '../../texts/forms.ts';
import { sharedTexts } from '../../texts/shared.ts';
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
