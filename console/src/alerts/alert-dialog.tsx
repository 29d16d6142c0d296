import { lazy, Suspense, useState } from 'react';
import { alertTexts } from '../texts/alerts.ts';
import { sharedTexts } from '../texts/shared.ts';
import { Dialog } from '../ui/dialogs/dialog.tsx';
import { ShownOnceDialog } from '../ui/dialogs/shown-once.tsx';
import { Loading } from '../ui/loading/loaded.tsx';
import { notify } from '../ui/notices.tsx';
import type { AlertDraft } from './alert-draft.ts';
import type { SavedAlert } from './alert-form.tsx';

const AlertForm = lazy(async () => ({ default: (await import('./alert-form.tsx')).AlertForm }));

interface Props {
  /** Undefined while it is closed. */
  draft: AlertDraft | undefined;
  title: string;
  id?: string | undefined;
  onClose: () => void;
  onSaved?: (alert: SavedAlert) => void;
}

/** Creates or changes an alert, and shows the secret of a new webhook once. */
export function AlertDialog({ draft, title, id, onClose, onSaved }: Props) {
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <Dialog title={title} isOpen={draft !== undefined} onClose={onClose}>
        <Suspense fallback={<Loading />}>
          {draft && (
            <AlertForm
              draft={draft}
              id={id}
              onClose={onClose}
              onSaved={(alert) => {
                setSecret(alert.notify.secret);
                notify(id === undefined ? alertTexts.alertCreated : sharedTexts.saved);
                onClose();
                onSaved?.(alert);
              }}
            />
          )}
        </Suspense>
      </Dialog>
      <ShownOnceDialog title={alertTexts.signingSecret} value={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}
