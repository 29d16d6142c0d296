import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { entries, type LambdaEntry } from '../aws/conventions/entries.ts';
import { invoke } from './runtime/invoke.ts';
import { StartError } from './runtime/start-error.ts';
import { readIfThere } from './runtime/state-files.ts';
import { startStack } from './stack.ts';

const timeoutSeconds = 60;

/** The Lambda of an event file: `events/run-record.json` is for `workers.run-record`, others have the full name. */
export const findEntry = (file: string): LambdaEntry | undefined => {
  const name = basename(file, '.json');
  return entries.find(({ id }) => id === name || id === `workers.${name}`);
};

/** The name of a Lambda for `invoke`. */
export const lambdaPath = ({ file }: LambdaEntry) => file.replace(/^functions\//, '').replace(/\.ts$/, '');

/** Invokes a Lambda with its sample event, on an empty stack in memory, and prints the result. */
async function replay(file: string): Promise<number> {
  const entry = findEntry(file);
  if (!entry)
    throw new StartError(
      `No Lambda has the name of ${file}. infra/aws/conventions/entries.ts lists the Lambdas; the name of an event is the id of its Lambda.`,
    );
  const event: unknown = JSON.parse(readIfThere(file) ?? 'null');
  if (!event) throw new StartError(`${file} does not exist or is empty.`);
  const { stop } = await startStack({ port: 0 });
  try {
    const answer = await invoke(lambdaPath(entry), event, timeoutSeconds);
    process.stdout.write(`${entry.id} returned ${JSON.stringify(answer ?? null, undefined, 2)}\n`);
    return 0;
  } catch (error) {
    process.stdout.write(`${entry.id} threw ${error}\n`);
    return 1;
  } finally {
    await stop();
  }
}

if (import.meta.main) {
  try {
    const [file] = parseArgs({ allowPositionals: true }).positionals;
    if (!file)
      throw new StartError(
        'The path of an event is missing. Example: npm run replay -- events/run-record.json',
      );
    process.exit(await replay(file));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
