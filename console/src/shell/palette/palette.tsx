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
import { type Command, type CommandGroup, commandOfId, hasWords, knownCommands } from './commands.ts';
import '../../style/palette.css';
import { useCall } from '../../api/queries.ts';
import { typePath } from '../../routing/record-paths.ts';
import { useSettled } from '../../ui/use-settled.ts';

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

const limit = 6;

/** What has a name like the text, and whether more may come. */
function useFound(text: string): { groups: CommandGroup[]; isSearching: boolean } {
  const search = useSettled(text);
  const request = { query: { search, limit } };
  const options = { enabled: search.length > 0, keepsLast: true };
  const flows = useCall('flows.list', request, options);
  const agents = useCall('agents.list', request, options);
  const products = useCall('products.list', request, options);
  const types = useCall('records.types', {}, options);
  if (search.length === 0) return { groups: [], isSearching: text.length > 0 };
  const commandsOf = (
    found: { data: { data: readonly { id: string; name: string }[] } | undefined },
    icon: Command['icon'],
    path: string,
  ): Command[] =>
    (found.data?.data ?? [])
      .filter(({ name }) => hasWords(name, text))
      .map(({ id, name }) => ({ id, label: name, icon, to: path + id }));
  const recordTypes = (types.data?.types ?? [])
    .map(({ type }) => type)
    .filter((type) => hasWords(type, text))
    .slice(0, limit)
    .map((type): Command => ({ id: `type ${type}`, label: type, icon: 'records', to: typePath(type) }));
  const groups = [
    { title: sharedTexts.flows, commands: commandsOf(flows, 'flows', '/flows/') },
    { title: sharedTexts.agents, commands: commandsOf(agents, 'agents', '/agents/') },
    { title: sharedTexts.recordTypes, commands: recordTypes },
    { title: sharedTexts.products, commands: commandsOf(products, 'products', '/products/') },
  ];
  return {
    groups: groups.filter(({ commands }) => commands.length > 0),
    isSearching: text !== search || [flows, agents, products, types].some(({ isFetching }) => isFetching),
  };
}
