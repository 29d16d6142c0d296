import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { access, constants, readFile, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { chooseEngine } from '../../local/dynamodb/engines.ts';
import { StartError } from '../../local/start-error.ts';
import { findBrowser } from './browsers.ts';
import { type Check, type Finding, ok, problem, warning } from './check.ts';

type Environment = NodeJS.ProcessEnv;

const freeGbMin = 1;

/** What `npm start` and the tests need of a machine. */
export const machineChecks: readonly Check<Environment>[] = [
  { id: 'node', what: 'Node.js', run: nodeVersion },
  { id: 'port', what: 'Port of the API', run: port },
  { id: 'data-dir', what: 'Data directory', run: dataDir },
  { id: 'disk', what: 'Free disk space', run: diskSpace },
  { id: 'engine', what: 'DynamoDB engine', run: engine },
  { id: 'browser', what: 'Browser for tests of pages', run: browser },
  { id: 'models', what: 'Model providers', run: modelProviders },
];

async function nodeVersion(): Promise<Finding> {
  const manifest = new URL('../../../node_modules/node/package.json', import.meta.url);
  const { version } = JSON.parse(await readFile(manifest, 'utf8'));
  const own = process.versions.node;
  return own === version
    ? ok(own)
    : problem(
        `${own}, but the project pins ${version}`,
        'Run npm ci, and start commands with npm run or npx.',
      );
}

async function port({ PORT, HOST }: Environment): Promise<Finding> {
  const [number, host] = [Number(PORT || 3_000), HOST || '127.0.0.1'];
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    return problem(`PORT is "${PORT}"`, 'Set PORT to a number from 0 to 65535.');
  const server = createServer().listen(number, host);
  try {
    await once(server, 'listening');
    return ok(number === 0 ? 'Any free port' : `${host}:${number} is free`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EADDRINUSE'
      ? warning(
          `${host}:${number} is in use`,
          'Stop what uses it (the service itself?), or set PORT to another.',
        )
      : problem(`${host}:${number} cannot be used: ${code}`, 'Set HOST and PORT to others.');
  } finally {
    server.close();
  }
}

const pathOf = ({ DATA_DIR }: Environment) => resolve(DATA_DIR || '.local');

/** The directory itself, or the nearest one above in which it would be created. */
function nearest(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearest(dirname(path));
}

async function dataDir(environment: Environment): Promise<Finding> {
  const path = pathOf(environment);
  const existing = nearest(path);
  const isWritable = await access(existing, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable || !statSync(existing).isDirectory())
    return problem(`${existing} is no writable directory`, 'Set DATA_DIR to a writable directory.');
  if (existing !== path) return ok(`${path} will be created`);
  return isLocked(resolve(path, 'lock.db'))
    ? warning(`${path} is used by a running instance`, 'Stop it, or set DATA_DIR to another directory.')
    : ok(path);
}

/** As `infra/local/data-dir.ts` locks it. */
function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  const lock = new DatabaseSync(file, { readOnly: true });
  try {
    lock.exec('SELECT 1 FROM sqlite_schema');
    return false;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === sqliteBusy) return true;
    throw error;
  } finally {
    lock.close();
  }
}

const sqliteBusy = 5;

async function diskSpace(environment: Environment): Promise<Finding> {
  const path = nearest(pathOf(environment));
  const { bavail, bsize } = await statfs(path);
  const gb = (bavail * bsize) / 2 ** 30;
  return gb >= freeGbMin
    ? ok(`${gb.toFixed(1)} GB`)
    : problem(`${gb.toFixed(1)} GB at ${path}`, 'Free disk space, or set DATA_DIR to another disk.');
}

function engine(): Finding {
  try {
    return ok(chooseEngine().command);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const [message = '', ...rest] = error.message.split('\n');
    return problem(message, rest.join(' ').trim() || 'Install Java 17 or later.');
  }
}

function browser(environment: Environment): Finding {
  const found = findBrowser(environment);
  return found
    ? ok(found)
    : warning(
        'No Chromium: tests of pages are skipped',
        'apt-get install chromium, or set CHROMIUM to its path.',
      );
}

const providerVariables = [
  ...['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GENERIC_OPENAI_BASE_URL'],
];

function modelProviders(environment: Environment): Finding {
  const set = providerVariables.filter((name) => environment[name]);
  return set.length > 0
    ? ok(set.join(', '))
    : warning('None: steps that call a model fail', `Set one of ${providerVariables.join(', ')}.`);
}
