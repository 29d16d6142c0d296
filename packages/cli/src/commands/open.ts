import type { Command } from 'commander';
import { consoleAddress } from '../session/console-address.ts';
import { commandSession } from '../session/session.ts';
import { openInBrowser } from '../terminal/browser.ts';
import { print, printJson } from '../terminal/output.ts';

export const addOpen = (program: Command) =>
  program
    .command('open')
    .description('Open the console in a browser, at a run if there is one')
    .argument('[run]', 'its id')
    .option('--print', 'prints the address instead')
    .action((run: string | undefined, { print: isPrinted }: { print?: true }, command: Command) => {
      const { profile, isJson } = commandSession(command);
      const url = consoleAddress(profile.url, run && `/runs/${encodeURIComponent(run)}`);
      if (isJson) return printJson({ url });
      print(url);
      if (!isPrinted) openInBrowser(url);
    });
