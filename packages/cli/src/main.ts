#!/usr/bin/env node
import { newProgram } from './program.ts';
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
