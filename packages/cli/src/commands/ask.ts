import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { findId } from '../session/named.ts';
import { commandSession } from '../session/session.ts';
import { showRun } from './shown-run.ts';

export const addAsk = (program: Command) =>
  program
    .command('ask')
    .description('Ask an agent')
    .argument('<agent>', 'its id or its name')
    .argument('[question...]', 'by default, the standard input')
    .action(async (agent: string, words: string[], _, command: Command) => {
      const session = commandSession(command);
      const { client } = session;
      const content = words.length > 0 ? words.join(' ') : await questionFromInput();
      const params = { id: await findId(client, 'agent', agent) };
      const body = { messages: [{ role: 'user' as const, content }] };
      await showRun(session, {
        whole: () => client.agentRuns.execute({ params, body }),
        events: () => client.agentRuns.stream({ params, body }),
      });
    });

async function questionFromInput(): Promise<string> {
  const question = process.stdin.isTTY ? '' : (await text(process.stdin)).trim();
  if (question === '')
    throw new CliError('There is no question. Example: agent-flow ask Support "Where is my parcel?"');
  return question;
}
