import { productTexts } from '../../texts/products.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { ShownOnce } from '../../ui/dialogs/shown-once.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { CopyButton } from '../../ui/forms/copy-button.tsx';
import { TextBox } from '../../ui/forms/text-box.tsx';

export interface ShownKey {
  text: string;
  /** Of a live key that was just made, no request returns the value again. */
  isNew: boolean;
}

interface Props {
  value: ShownKey | undefined;
  onClose: () => void;
}

/** The value of a key, which was just made or revealed. */
export const KeyDialog = ({ value, onClose }: Props) => (
  <Dialog title={productTexts.theKey} isOpen={value !== undefined} onClose={onClose} role="alertdialog">
    {value?.isNew ? (
      <ShownOnce value={value.text} />
    ) : (
      <>
        <TextBox label={sharedTexts.theValue}>{value?.text ?? ''}</TextBox>
        <CopyButton text={value?.text ?? ''} />
      </>
    )}
    <div className="actions">
      <Button look="primary" onPress={onClose}>
        {value?.isNew ? sharedTexts.storedIt : sharedTexts.close}
      </Button>
    </div>
  </Dialog>
);
