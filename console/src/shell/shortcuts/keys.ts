const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** The key of the command palette, which works everywhere. */
export const commandKey = isApple
  ? ({ text: '⌘K', aria: 'Meta+K', modifier: 'metaKey' } as const)
  : ({ text: 'Ctrl K', aria: 'Control+K', modifier: 'ctrlKey' } as const);

export const withCommand = (letter: string) => (isApple ? `⌘${letter}` : `Ctrl ${letter}`);
