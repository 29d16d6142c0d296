import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { shellTexts } from '../texts/shell.ts';
import { MenuParts, type MenuProps } from './side-bar.tsx';

/** The menu on a phone. */
export const Drawer = ({ onClose, ...props }: MenuProps & { onClose: () => void }) => (
  <ModalOverlay
    className="overlay drawer-overlay"
    isOpen
    isDismissable
    onOpenChange={(open) => !open && onClose()}
  >
    <Modal className="drawer">
      <Dialog aria-label={shellTexts.menu} className="side-inside">
        <MenuParts {...props} />
      </Dialog>
    </Modal>
  </ModalOverlay>
);
