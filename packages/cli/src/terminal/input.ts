import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { CliError } from '../cli-error.ts';

const enter = ['\r', '\n'];
const backspace = ['\x7f', '\b'];
const end = ['\x03', '\x04'];

/** A value that nobody sees: typed on a terminal without being shown, else all of the standard input. */
export async function readHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await text(stdin)).trim();
  // Before the question: what is typed at once must not be shown either.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.setEncoding('utf8');
  try {
    return await typed(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

async function typed(keys: AsyncIterable<string>): Promise<string> {
  let value = '';
  for await (const chunk of keys) {
    for (const key of chunk) {
      if (enter.includes(key)) return value;
      if (end.includes(key)) throw new CliError('Nothing was entered');
      value = backspace.includes(key) ? value.slice(0, -1) : value + key;
    }
  }
  return value;
}

/** Asks on a terminal only: a script that says what is to be done means it. */
export async function confirmed(question: string): Promise<boolean> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return true;
  const asked = createInterface({ input: stdin, output: stderr, terminal: false });
  try {
    return /^y(es)?$/i.test((await asked.question(question)).trim());
  } finally {
    asked.close();
  }
}

/** @throws CliError that names the option */
export function parsedJson(option: string, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new CliError(`${option} is not JSON: ${(error as Error).message}`);
  }
}
