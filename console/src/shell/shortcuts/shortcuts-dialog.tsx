import { menuTexts } from '../../texts/menus.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { CheckField } from '../../ui/forms/check.tsx';
import { shortcuts } from './shortcuts.ts';
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
