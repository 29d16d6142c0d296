import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { Button } from '../forms/button.tsx';
import { CopyButton } from '../forms/copy-button.tsx';
import { TextBox } from '../forms/text-box.tsx';
import { Dialog, useHeldDialog } from './dialog.tsx';

/** A value that no request returns again: only a button closes the dialog around it. */
export function ShownOnce({ value }: { value: string }) {
  useHeldDialog(true);
  return (
    <>
      <p>{uiTexts.storeItNow}</p>
      <TextBox label={sharedTexts.theValue}>{value}</TextBox>
      <CopyButton text={value} />
    </>
  );
}

interface Props {
  title: string;
  /** Absent before there is one. */
  value: string | undefined;
  onClose: () => void;
}

export const ShownOnceDialog = ({ title, value, onClose }: Props) => (
  <Dialog title={title} isOpen={value !== undefined} onClose={onClose} role="alertdialog">
    <ShownOnce value={value ?? ''} />
    <div className="actions">
      <Button look="primary" onPress={onClose}>
        {sharedTexts.storedIt}
      </Button>
    </div>
  </Dialog>
);
