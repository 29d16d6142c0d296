import { type ExecFileOptions, execFile } from 'node:child_process';

export interface EndedProgram {
  /** Null if it was killed, or could not start. */
  status: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs a program to its end. `spawnSync` would keep this process from noticing that the stack has closed idle connections,
 * and the next request on one of them would fail.
 */
export const runProgram = (
  command: string,
  parameters: readonly string[],
  options: ExecFileOptions = {},
): Promise<EndedProgram> =>
  new Promise((resolve) => {
    const given = { maxBuffer: 2 ** 28, ...options, encoding: 'utf8' } as const;
    execFile(command, parameters, given, (error, stdout, stderr) => {
      const status = typeof error?.code === 'number' ? error.code : error ? null : 0;
      resolve({ status, stdout, stderr });
    });
  });
