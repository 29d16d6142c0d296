import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What a start needs to know of a machine, and what it does there. */
export interface Machine {
  platform: string;
  arch: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The folder `node_modules` of the service. */
  modules: string;
  /** Runs a program to its end; one that cannot be started or takes too long has the code -1. */
  run: (command: string, parameters: readonly string[], options?: ProgramOptions) => Promise<ProgramEnd>;
  /** Prints a line for the person who starts the service. */
  say: (line: string) => void;
}

interface ProgramOptions {
  cwd?: string;
  timeoutMs?: number;
}

export interface ProgramEnd {
  code: number;
  output: string;
}

const runTimeoutMs = 30_000;

export const thisMachine: Machine = {
  platform: process.platform,
  arch: process.arch,
  env: process.env,
  modules: fileURLToPath(new URL('../../../node_modules/', import.meta.url)),
  run: runToEnd,
  // The standard output may be read by a program.
  say: (line) => void process.stderr.write(`${line}\n`),
};

function runToEnd(
  command: string,
  parameters: readonly string[],
  { cwd, timeoutMs = runTimeoutMs }: ProgramOptions = {},
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    // Windows starts scripts only by a shell. Neither they nor their parameters contain what it would read.
    const shell = /\.cmd$/i.test(command);
    const child = spawn(command, parameters, {
      ...(cwd !== undefined && { cwd }),
      shell,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk).slice(-4_000);
      });
    child.on('error', (error) => resolve({ code: -1, output: error.message }));
    child.on('close', (code) =>
      resolve({ code: code ?? -1, output: code === null ? `${output}\nit took too long` : output }),
    );
  });
}
