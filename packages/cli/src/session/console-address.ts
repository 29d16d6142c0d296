/** The address of a screen of the console, such as `/runs`. */
export const consoleAddress = (url: string, screen?: string) =>
  `${url.replace(/\/$/, '')}/console${screen ? `#${screen}` : ''}`;
