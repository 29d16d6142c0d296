import { sections } from '../../routing/sections.ts';
import { inboxTexts } from '../../texts/inbox.ts';
import { menuTexts } from '../../texts/menus.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { CheckField } from '../../ui/forms/check.tsx';
import { commandKey, withCommand } from './keys.ts';
import { useLetterKeys } from './use-shortcuts.ts';

/** What the keyboard can do. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const [letters, setLetters] = useLetterKeys();
  return (
    <Dialog title={menuTexts.keyboardShortcuts} isOpen onClose={onClose}>
      {shortcuts.map((group) => (
        <section key={group.title} className="shortcuts">
          <h3>{group.title}</h3>
          <dl>
            {group.shortcuts.map(({ keys, what }) => (
              <div key={what}>
                <dt>{what}</dt>
                <dd>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <CheckField
        label={menuTexts.useLettersAsShortcuts}
        help={menuTexts.switchOffForSpeechInput}
        isOn={letters === 'on'}
        onChange={(isOn) => setLetters(isOn ? 'on' : 'off')}
      />
      <div className="actions">
        <Button onPress={onClose}>{sharedTexts.close}</Button>
      </div>
    </Dialog>
  );
}

interface Shortcut {
  /** Pressed one after the other. */
  keys: readonly string[];
  what: string;
}

const shortcuts: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [
  {
    title: menuTexts.everywhere,
    shortcuts: [
      { keys: [commandKey.text], what: menuTexts.searchOrRunCommand },
      { keys: ['/'], what: menuTexts.searchList },
      { keys: ['?'], what: menuTexts.showKeyboardShortcuts },
      { keys: [menuTexts.escapeKey], what: menuTexts.closeWhatIsOpen },
    ],
  },
  {
    title: menuTexts.inListOfRuns,
    shortcuts: [
      { keys: ['Enter'], what: menuTexts.showRunBesideList },
      { keys: ['Shift Space'], what: menuTexts.selectRun },
      { keys: [withCommand('A')], what: menuTexts.selectAllLoaded },
      { keys: [withCommand('C')], what: sharedTexts.copyRunId },
    ],
  },
  {
    title: inboxTexts.keys,
    shortcuts: [
      { keys: ['j', 'k'], what: inboxTexts.nextOrPrevious },
      { keys: ['1', '9'], what: inboxTexts.pressChoice },
      { keys: ['u', 'z'], what: inboxTexts.undoAnswer },
      { keys: ['c'], what: inboxTexts.writeComment },
      { keys: ['x'], what: inboxTexts.selectQuestion },
    ],
  },
  {
    title: menuTexts.goTo,
    shortcuts: sections.map(({ label, letter }) => ({ keys: ['g', letter], what: label })),
  },
];
