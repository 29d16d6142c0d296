import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  TextField,
} from 'react-aria-components';
import { useApi } from '../../api/api.ts';
import { menuTexts } from '../../texts/menus.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Icon } from '../../ui/icon.tsx';
import { type Command, commandOfId, knownCommands } from './commands.ts';
import { useFound } from './use-found.ts';
import '../../style/palette.css';

/** Goes to any screen or thing by its name or id, and begins what one does often. */
export function Palette({ onClose }: { onClose: () => void }) {
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(open) => !open && onClose()}
      className="overlay palette-overlay"
    >
      <Modal className="palette">
        <Dialog aria-label={menuTexts.commandPalette}>
          <Commands onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Commands({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const { history } = useRouter();
  const { credential } = useApi();
  const text = typed.trim();
  const { groups: found, isSearching } = useFound(text);
  const byId = commandOfId(text);
  const groups = [
    ...(byId ? [{ title: sharedTexts.id, commands: [byId] }] : []),
    ...(text ? found : []),
    ...knownCommands(text, credential.permissions),
  ];
  const open = ({ to }: Command) => {
    onClose();
    history.push(to);
  };
  return (
    <Autocomplete inputValue={typed} onInputChange={setTyped}>
      <TextField className="palette-field" aria-label={menuTexts.searchOrRunCommand} autoFocus>
        <Icon name="search" size={18} />
        <Input placeholder={menuTexts.searchOrRunCommand} />
        <span aria-hidden="true">
          <kbd>{menuTexts.escapeKey}</kbd>
        </span>
      </TextField>
      <Menu
        className="menu-list palette-list"
        aria-label={menuTexts.commands}
        renderEmptyState={() => (
          <p className="empty-list">{isSearching ? menuTexts.searching : menuTexts.noResultsFor(text)}</p>
        )}
      >
        {groups.map(({ title, commands }) => (
          <MenuSection key={title} id={title}>
            <Header>{title}</Header>
            {commands.map((command) => (
              <MenuItem
                key={command.id}
                id={command.id}
                textValue={command.label}
                onAction={() => open(command)}
              >
                <Icon name={command.icon} />
                <bdi>{command.label}</bdi>
                {command.hint && <span className="help">{command.hint}</span>}
                {command.keys && (
                  <span className="keys" aria-hidden="true">
                    {command.keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </span>
                )}
              </MenuItem>
            ))}
          </MenuSection>
        ))}
      </Menu>
    </Autocomplete>
  );
}
