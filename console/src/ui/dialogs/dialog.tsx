import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

interface Props {
  title: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** Destructive questions are announced at once. */
  role?: 'dialog' | 'alertdialog';
  width?: 'narrow' | 'wide';
}

const Held = createContext({ current: false });

/** While it is so, Escape does not close the dialog around this. */
export function useHeldDialog(isHeld: boolean): void {
  const held = useContext(Held);
  useEffect(() => {
    held.current = isHeld;
    return () => {
      held.current = false;
    };
  }, [held, isHeld]);
}

/** A window over the page. Escape closes it; the focus stays inside, and returns afterwards. */
export function Dialog({ title, isOpen, onClose, children, role = 'dialog', width = 'narrow' }: Props) {
  const held = useRef(false);
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && !held.current && onClose()}
      isDismissable={role === 'dialog'}
      className="overlay"
    >
      <Modal className={`modal ${width}`}>
        <AriaDialog role={role} className="dialog">
          <Heading slot="title">{title}</Heading>
          <Held value={held}>{children}</Held>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
