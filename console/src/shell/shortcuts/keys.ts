import { sections } from '../../routing/sections.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** The key of the command palette, which works everywhere. */
export const commandKey = isApple
  ? ({ text: '⌘K', aria: 'Meta+K', modifier: 'metaKey' } as const)
  : ({ text: 'Ctrl K', aria: 'Control+K', modifier: 'ctrlKey' } as const);

const withCommand = (letter: string) => (isApple ? `⌘${letter}` : `Ctrl ${letter}`);

interface Shortcut {
  /** Pressed one after the other. */
  keys: readonly string[];
  what: string;
}

export const shortcuts: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: [commandKey.text], what: 'Search or run a command' },
      { keys: ['/'], what: 'Search the list' },
      { keys: ['?'], what: 'Show keyboard shortcuts' },
      { keys: ['Esc'], what: 'Close what is open' },
    ],
  },
  {
    title: 'In the list of runs',
    shortcuts: [
      { keys: ['Enter'], what: 'Show the run beside the list, then open it' },
      { keys: ['Shift Space'], what: 'Select the run; with arrows, those between' },
      { keys: [withCommand('A')], what: 'Select all that are loaded' },
      { keys: [withCommand('C')], what: 'Copy run ID' },
    ],
  },
  {
    title: 'Go to',
    shortcuts: sections.map(({ label, letter }) => ({ keys: ['g', letter], what: label })),
  },
];
