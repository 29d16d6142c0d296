import { type ReactNode, useState } from 'react';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../forms/button.tsx';
import { FailureNotice } from '../loading/failure.tsx';
import { Dialog } from './dialog.tsx';
import { useFocusAfter } from './use-focus-after.ts';

interface Props {
  /** What the button says: a verb. */
  children: ReactNode;
  /** What the button is called where others say the same. */
  label?: string;
  /** What will happen, and whether it can be undone. */
  question: ReactNode;
  title: string;
  /** The button that does it. By default as `children`. */
  confirm?: string;
  action: () => Promise<unknown>;
  look?: 'plain' | 'danger' | 'quiet';
  isDisabled?: boolean;
}

/** A button that asks before it acts. The question stays open until the action has succeeded, or says why it failed. */
export function ConfirmButton({
  children,
  label,
  question,
  title,
  confirm,
  action,
  look = 'danger',
  isDisabled = false,
}: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error>();
  useFocusAfter(isOpen);
  const close = () => isPending || setOpen(false);

  async function act() {
    setPending(true);
    setError(undefined);
    try {
      await action();
      setOpen(false);
    } catch (caught) {
      setError(caught as Error);
    } finally {
      setPending(false);
    }
  }

  return (
    <>
      <Button
        look={look}
        isDisabled={isDisabled}
        onPress={() => {
          setError(undefined);
          setOpen(true);
        }}
        {...(label && { 'aria-label': label })}
      >
        {children}
      </Button>
      <Dialog title={title} role="alertdialog" isOpen={isOpen} onClose={close}>
        <div className="prose">{question}</div>
        {error && <FailureNotice error={error} />}
        <div className="actions">
          <Button onPress={close} isPending={isPending} autoFocus>
            {sharedTexts.cancel}
          </Button>
          <Button look="danger" onPress={act} isPending={isPending}>
            {confirm ?? children}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
