import { type ChildProcess, fork, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { log } from '../../../shared/core/log.ts';
import { shortageIn } from './shortages.ts';

/** A child process that ends with this process, and the promise of its end. */
export interface GuardedProcess {
  ended: Promise<void>;
  /** Its last output, for the error message of a failed start. */
  output: () => string;
  stop: () => Promise<void>;
}

/**
 * Keeps a pipe open to this process, and kills the program when the pipe closes. It closes however this process ends,
 * including `kill -9`.
 */
const guard = `
exec 3<&0
"$@" 3<&- </dev/null & child=$!
{ read -r _ <&3; kill -9 "$child" 2>/dev/null; } & watch=$!
exec 3<&- <&-
wait "$child"; code=$?
kill "$watch" 2>/dev/null
exit "$code"`;

/** The same for Windows, which has no such shell. */
const guardInNode = `
const [command, ...parameters] = process.argv.slice(1);
const child = require('node:child_process').spawn(command, parameters, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });
const kill = () => child.kill('SIGKILL');
child.on('error', (error) => { console.error(error.message); process.exit(1); });
child.on('exit', (code) => process.exit(code ?? 1));
process.stdin.on('end', kill).on('error', kill).resume();`;

export function spawnGuarded(
  command: string,
  parameters: readonly string[],
  platform: NodeJS.Platform = process.platform,
): GuardedProcess {
  const [program, ...first] =
    platform === 'win32' ? [process.execPath, '-e', guardInNode, '--'] : ['/bin/sh', '-c', guard, 'sh'];
  // Runs in its own session, so that Ctrl-C in the terminal reaches only this process, which stops its children in
  // order.
  const child = spawn(program, [...first, command, ...parameters], {
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  // Without pipes if the limit of open files is reached.
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk).slice(-4_000);
    });
  }
  // Of a program that could not be started, the error is the output.
  child.on('error', (error) => {
    output ||= error.message;
  });
  child.stdin?.on('error', () => {});
  const ended = processEnd(child);
  return {
    ended,
    output: () => output.trim(),
    async stop() {
      child.stdin?.end();
      await ended;
    },
  };
}

/** Starts a module as a process that is to end when its channel to this one closes. */
export const forkModule = (file: URL, heapMegabytes: number, output: 'ignore' | 'inherit'): ChildProcess =>
  fork(file, {
    execArgv: [`--max-old-space-size=${heapMegabytes}`],
    execPath: process.execPath,
    // Detached from the terminal's Ctrl-C, which this process handles.
    detached: process.platform !== 'win32',
    stdio: ['ignore', output, 'inherit', 'ipc'],
  });

export const processEnd = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.on('error', (error) => {
      // A process that started also reports what could not be sent to it.
      if (child.pid === undefined) resolve();
      else log.error('A process could not be reached', { error, process: child.pid });
    });
  });

/** Returns a free port, for programs that cannot choose one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}

/** Whether a program of this machine takes connections at a port. @throws if this process cannot open any. */
export const accepts = (port: number) =>
  new Promise<boolean>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket
      .once('connect', () => settle(true))
      .once('error', (error) => (shortageIn(error) ? reject(error) : settle(false)));
  });
