import { parseArgs } from 'node:util';
import { type EnvironmentName, environments } from '../../environments.ts';

/** A problem that the operator can solve; its message says how. */
export class OperationError extends Error {}

/** Runs a command and ends the process: with 1 and the message on an {@link OperationError}. */
export async function runOperation(main: () => Promise<void>): Promise<never> {
  try {
    await main();
    process.exit(0);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** Progress and explanations go to stderr, so that scripts can read a result from stdout. */
export const printNote = (line: string) => void process.stderr.write(`${line}\n`);

interface Given<Name extends string, Flag extends string> {
  env: EnvironmentName;
  options: Partial<Record<Name, string> & Record<Flag, boolean>>;
  /** Every context value. */
  context: Record<string, string>;
}

/**
 * Options of the command line, the environment from `-c env=…`, as `cdk` takes it, and its other context values.
 * @param names Options with a value. @param flags Options without one. @throws OperationError for an unknown option or
 * environment.
 */
export function parseOptions<Name extends string, Flag extends string = never>(
  usage: string,
  names: readonly Name[],
  flags: readonly Flag[] = [],
  args: readonly string[] = process.argv.slice(2),
): Given<Name, Flag> {
  const wrong = (reason: string) => new OperationError(`${reason}\nUsage: ${usage}`);
  const { context: contextValues = [], ...options } = parsed(names, flags, args, wrong);
  const pairs = (contextValues as string[]).map((value) => /^([^=]*)=?(.*)$/s.exec(value)?.slice(1) ?? []);
  const [env, another] = pairs.flatMap(([name, value]) => (name === 'env' ? value : []));
  const environmentNames = Object.keys(environments);
  if (env === undefined || another !== undefined || !environmentNames.includes(env))
    throw wrong(`Name the environment: -c env=${environmentNames.join(', -c env=')}`);
  return {
    env: env as EnvironmentName,
    options: options as Given<Name, Flag>['options'],
    context: Object.fromEntries(pairs),
  };
}

function parsed(
  names: readonly string[],
  flags: readonly string[],
  args: readonly string[],
  wrong: (reason: string) => Error,
) {
  const optionsOfType = <T extends 'string' | 'boolean'>(type: T, some: readonly string[]) =>
    Object.fromEntries(some.map((name) => [name, { type }]));
  const options = { ...optionsOfType('string', names), ...optionsOfType('boolean', flags) };
  const context = { type: 'string' as const, short: 'c', multiple: true };
  try {
    return parseArgs({ args: [...args], options: { ...options, context } }).values;
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}
