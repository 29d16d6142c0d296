import { lazy, Suspense } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { Loading } from '../../ui/loaded.tsx';

const Upload = lazy(async () => ({ default: (await import('./upload.tsx')).Upload }));

interface Props {
  isOpen: boolean;
  onClose: () => void;
  /** The type to suggest. */
  type?: string;
}

export const UploadDialog = ({ isOpen, onClose, type = '' }: Props) => (
  <Dialog title="Upload records" isOpen={isOpen} onClose={onClose} role="alertdialog" width="wide">
    <Suspense fallback={<Loading />}>
      <Upload type={type} onClose={onClose} />
    </Suspense>
  </Dialog>
);
