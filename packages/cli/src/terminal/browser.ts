import { spawn } from 'node:child_process';

const openers: Partial<Record<NodeJS.Platform, [command: string, ...parameters: string[]]>> = {
  darwin: ['open'],
  // A shell, such as cmd, would run what follows an & of the address.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address that is printed already, for machines without a browser. @param onFailure Called if none opens */
export function openInBrowser(url: string, onFailure = () => {}): void {
  const [command, ...parameters] = openers[process.platform] ?? ['xdg-open'];
  const opened = spawn(command, [...parameters, url], { stdio: 'ignore', detached: true });
  opened.on('error', onFailure);
  opened.on('exit', (code) => code && onFailure());
  opened.unref();
}
