import {
  Button,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';
import { sharedTexts } from '../texts/shared.ts';
import { uiTexts } from '../texts/ui.ts';

interface Notice {
  text: string;
  /** How to take it back. */
  undo?: () => void;
}

const queue = new ToastQueue<Notice>({ maxVisibleToasts: 3 });

/** Says that something was done, for a few seconds. @returns what takes the notice away */
export function notify(text: string, undo?: () => void, timeoutMs = undo ? 15_000 : 6_000): () => void {
  const key = queue.add({ text, ...(undo && { undo }) }, { timeout: timeoutMs });
  return () => queue.close(key);
}

/** On another screen, there is nothing left to take back. */
export function closeUndo(): void {
  for (const { key, content } of [...queue.visibleToasts]) if (content.undo) queue.close(key);
}

export const Notices = () => (
  <ToastRegion queue={queue} className="notices" aria-label={uiTexts.notices}>
    {({ toast }) => (
      <Toast toast={toast} className="notice">
        <ToastContent>
          <Text slot="title">{toast.content.text}</Text>
        </ToastContent>
        {toast.content.undo && (
          <Button
            className="button quiet"
            onPress={() => {
              toast.content.undo?.();
              queue.close(toast.key);
            }}
          >
            {sharedTexts.undo}
          </Button>
        )}
        <Button slot="close" className="button quiet" aria-label={sharedTexts.close}>
          ×
        </Button>
      </Toast>
    )}
  </ToastRegion>
);
