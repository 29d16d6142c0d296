/** Names and answers may contain what commands a terminal (titles, the clipboard, the cursor). Colours, tabs and line ends stay. */
export const harmless = (text: string) =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(/(\p{Cc})(\[[\d;]*m)?/gu, (whole, control: string, colour?: string) =>
      control === '\n' || control === '\t' || (control === '\x1b' && colour)
        ? whole
        : `\u{fffd}${colour ?? ''}`,
    );
