import type { ReactNode } from 'react';
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

/** A window over the page. Escape closes it; the focus stays inside, and returns afterwards. */
export const Dialog = ({ title, isOpen, onClose, children, role = 'dialog', width = 'narrow' }: Props) => (
  <ModalOverlay
    isOpen={isOpen}
    onOpenChange={(open) => !open && onClose()}
    isDismissable={role === 'dialog'}
    className="overlay"
  >
    <Modal className={`modal ${width}`}>
      <AriaDialog role={role} className="dialog">
        <Heading slot="title">{title}</Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);
