import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { sessionOf } from '../session/session.ts';
import { print, printJson } from '../terminal/output.ts';

const openers: Partial<Record<NodeJS.Platform, [command: string, ...parameters: string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

export const addOpen = (program: Command) =>
  program
    .command('open')
    .description('Open the console in a browser, at a run if there is one')
    .argument('[run]', 'its id')
    .option('--print', 'prints the address instead')
    .action((run: string | undefined, { print: isPrinted }: { print?: true }, command: Command) => {
      const { profile, isJson } = sessionOf(command);
      const base = `${profile.url.replace(/\/$/, '')}/console`;
      const url = run ? `${base}#/runs/${encodeURIComponent(run)}` : base;
      if (isJson) return printJson({ url });
      print(url);
      if (!isPrinted) openInBrowser(url);
    });

/** The address is printed already, for machines without a browser. */
function openInBrowser(url: string): void {
  const [command, ...parameters] = openers[process.platform] ?? ['xdg-open'];
  const opened = spawn(command, [...parameters, url], { stdio: 'ignore', detached: true });
  opened.on('error', () => {});
  opened.unref();
}
