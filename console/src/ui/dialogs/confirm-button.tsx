import { type ReactNode, useState } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { Button } from '../forms/button.tsx';
import { Icon } from '../icon.tsx';
import { FailureNotice } from '../loading/failure.tsx';
import { Dialog } from './dialog.tsx';
import { useFocusAfter } from './use-focus-after.ts';

interface Question {
  /** What will happen, and whether it can be undone. */
  question: ReactNode;
  title: string;
  /** The button that does it. By default as what leads to the question. */
  confirm?: string;
  action: () => Promise<unknown>;
}

interface Props extends Question {
  /** What the button says: a verb. */
  children: ReactNode;
  /** What the button is called where others say the same. */
  label?: string;
  look?: 'plain' | 'danger' | 'quiet';
  isDisabled?: boolean;
}

/** A button that asks before it acts. The question stays open until the action has succeeded, or says why it failed. */
export function ConfirmButton({ children, label, look = 'danger', isDisabled = false, ...question }: Props) {
  const [isOpen, setOpen] = useState(false);
  useFocusAfter(isOpen);
  return (
    <>
      <Button
        look={look}
        isDisabled={isDisabled}
        onPress={() => setOpen(true)}
        {...(label && { 'aria-label': label })}
      >
        {children}
      </Button>
      {isOpen && <OpenQuestion {...question} isFor={children} onClose={() => setOpen(false)} />}
    </>
  );
}

/** What one rarely does with a page, such as to delete what it shows, behind a button: it asks, as {@link ConfirmButton}. */
export function MoreMenu({ children, ...question }: Question & { children: string }) {
  const [isOpen, setOpen] = useState(false);
  useFocusAfter(isOpen);
  return (
    <>
      <MenuTrigger>
        <Button look="quiet" aria-label={uiTexts.moreActions}>
          <Icon name="more" />
        </Button>
        <Popover className="popover" placement="bottom end">
          <Menu className="menu-list" aria-label={uiTexts.moreActions} onAction={() => setOpen(true)}>
            <MenuItem className="menu-danger">{children}</MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      {isOpen && <OpenQuestion {...question} isFor={children} onClose={() => setOpen(false)} />}
    </>
  );
}

interface OpenProps extends Question {
  isFor: ReactNode;
  onClose: () => void;
}

function OpenQuestion({ title, question, confirm, action, isFor, onClose }: OpenProps) {
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error>();
  const close = () => isPending || onClose();

  async function act() {
    setPending(true);
    setError(undefined);
    try {
      await action();
      onClose();
    } catch (caught) {
      setError(caught as Error);
    } finally {
      setPending(false);
    }
  }

  return (
    <Dialog title={title} role="alertdialog" isOpen onClose={close}>
      <div className="prose">{question}</div>
      {error && <FailureNotice error={error} />}
      <div className="actions">
        <Button onPress={close} isPending={isPending} autoFocus>
          {sharedTexts.cancel}
        </Button>
        <Button look="danger" onPress={act} isPending={isPending}>
          {confirm ?? isFor}
        </Button>
      </div>
    </Dialog>
  );
}
