import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { uiTexts } from '../../texts/ui.ts';
import { Button } from '../forms/button.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  isChanged: boolean;
  /** Default: that something is not saved. */
  title?: string;
  /** What is lost. */
  children: ReactNode;
}

/** Asks before something is lost: on another screen, and when the page is left. */
export function LeaveQuestion({ isChanged, title = uiTexts.leaveWithoutSaving, children }: Props) {
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
    <Dialog title={title} isOpen onClose={blocker.reset} role="alertdialog">
      <p>{children}</p>
      <div className="actions">
        <Button onPress={blocker.reset} autoFocus>
          {uiTexts.stay}
        </Button>
        <Button look="danger" onPress={blocker.proceed}>
          {uiTexts.leave}
        </Button>
      </div>
    </Dialog>
  );
}
