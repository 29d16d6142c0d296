import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { commandSession } from '../session/session.ts';
import { readHidden } from '../terminal/input.ts';
import { print, printJson } from '../terminal/output.ts';

export const addSecrets = (program: Command) =>
  program
    .command('secrets')
    .description('Manage secrets')
    .command('set')
    .description(
      'Create a secret, or replace its value. The value is typed unseen, or read from the standard input',
    )
    .argument('<key>', 'its name in flows: {{secret:KEY}}')
    .option('--description <text>')
    .action(async (key: string, { description }: { description?: string }, command: Command) => {
      const { client, isJson } = commandSession(command);
      const value = await readHidden(`Value of ${key}: `);
      if (value === '') throw new CliError('The value is empty');
      const { data: secrets } = await client.secrets.list();
      const stored = secrets.find((secret) => secret.key === key);
      const body = { value, ...(description !== undefined && { description }) };
      const { data } = stored
        ? await client.secrets.update({ params: { id: stored.id }, body })
        : await client.secrets.create({ body: { key, ...body } });
      if (isJson) printJson(data);
      else print(stored ? `Replaced the value of ${key}` : `Created ${key}`);
    });
