import { useBlocker } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { sharedTexts } from '../../../texts/shared.ts';
import { uploadTexts } from '../../../texts/upload.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { Loading } from '../../../ui/loading/loaded.tsx';
import { useUpload } from './use-upload.ts';

const Upload = lazy(async () => ({ default: (await import('./upload.tsx')).Upload }));

interface Props {
  isOpen: boolean;
  onClose: () => void;
  /** The type to suggest. */
  type?: string;
}

// A dialog that opens again begins anew.
export const UploadDialog = ({ isOpen, ...props }: Props) => isOpen && <OpenDialog {...props} />;

/** Asks before it closes, and before another screen opens, while an upload is running. */
function OpenDialog({ onClose, type = '' }: Omit<Props, 'isOpen'>) {
  const upload = useUpload();
  const [isClosing, setClosing] = useState(false);
  const { isSending } = upload;
  const blocker = useBlocker({
    shouldBlockFn: () => isSending,
    withResolver: true,
    enableBeforeUnload: isSending,
  });
  const stay = () => {
    setClosing(false);
    blocker.reset?.();
  };
  // Somebody who hesitates until it has ended sees what became of it.
  if (isClosing && !isSending) setClosing(false);
  useEffect(() => {
    if (!isSending) blocker.reset?.();
  }, [isSending, blocker]);
  return (
    <>
      <Dialog
        title={uploadTexts.uploadRecords}
        isOpen
        onClose={() => (isSending ? setClosing(true) : onClose())}
        role="alertdialog"
        width="wide"
      >
        <Suspense fallback={<Loading />}>
          <Upload type={type} upload={upload} onClose={onClose} />
        </Suspense>
      </Dialog>
      <Dialog
        title={uploadTexts.stopUpload}
        isOpen={isSending && (isClosing || blocker.status === 'blocked')}
        onClose={stay}
        role="alertdialog"
      >
        <p>{uploadTexts.doneRowsStay}</p>
        <div className="actions">
          <Button onPress={stay} autoFocus>
            {uploadTexts.keepRunning}
          </Button>
          <Button
            look="danger"
            onPress={() => {
              stay();
              upload.stop();
            }}
          >
            {sharedTexts.stop}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
