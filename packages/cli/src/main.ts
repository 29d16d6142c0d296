#!/usr/bin/env node
import { Command } from 'commander';
import { addAsk } from './commands/ask.ts';
import { addBatch } from './commands/batch.ts';
import { addCompletion } from './commands/completion.ts';
import { addLogin } from './commands/login.ts';
import { addLogout } from './commands/logout.ts';
import { addOpen } from './commands/open.ts';
import { addRecords } from './commands/records.ts';
import { addRun } from './commands/run.ts';
import { addRuns } from './commands/runs.ts';
import { addSecrets } from './commands/secrets.ts';
import { addTrace } from './commands/trace.ts';
import { addWorkspace } from './commands/workspace.ts';
import { reportFailure } from './terminal/failure.ts';

const program = newProgram();
// As when its output goes to `head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
try {
  await program.parseAsync();
} catch (error) {
  reportFailure(error, program.opts().json === true);
  process.exitCode = 1;
}

/** The command line, with every command. */
function newProgram(): Command {
  const program = new Command('agent-flow')
    .description('Run flows and agents, and see what they did')
    .option('--profile <name>', 'which login to use', 'default')
    .option('--json', 'prints JSON')
    .showHelpAfterError('Run agent-flow --help for what it can do.');
  const adders = [
    addLogin,
    addLogout,
    addRun,
    addAsk,
    addRuns,
    addTrace,
    addRecords,
    addBatch,
    addSecrets,
    addOpen,
    addWorkspace,
    addCompletion,
  ];
  for (const add of adders) add(program);
  return program;
}
