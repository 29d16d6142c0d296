import { sections } from '../../routing/sections.ts';
import { menuTexts } from '../../texts/menus.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { commandKey, withCommand } from './keys.ts';

interface Shortcut {
  /** Pressed one after the other. */
  keys: readonly string[];
  what: string;
}

export const shortcuts: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [
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
    title: menuTexts.goTo,
    shortcuts: sections.map(({ label, letter }) => ({ keys: ['g', letter], what: label })),
  },
];
