import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** Asks before edits are lost: on another screen, and when the page is left. */
export function LeaveQuestion({ isChanged, what }: { isChanged: boolean; what: string }) {
  const blocker = useBlocker({
    shouldBlockFn: () => isChanged,
    withResolver: true,
    enableBeforeUnload: isChanged,
  });
  useEffect(() => {
    if (blocker.status === 'blocked' && !isChanged) blocker.proceed();
  }, [blocker, isChanged]);
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog title="Leave without saving?" isOpen onClose={blocker.reset} role="alertdialog">
      <p>{what} has changes that are not saved.</p>
      <div className="actions">
        <Button onPress={blocker.reset} autoFocus>
          Stay
        </Button>
        <Button look="danger" onPress={blocker.proceed}>
          Leave
        </Button>
      </div>
    </Dialog>
  );
}
