import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import {
  deploymentCredentials,
  nameRequiredSetting,
} from '../../../shared/adapters/models/providers/credentials.ts';
import { providerNames } from '../../../shared/adapters/models/providers/provider-names.ts';
import { findEngine } from '../../local/dynamodb/engines.ts';
import { thisMachine } from '../../local/dynamodb/machine.ts';
import { StartError } from '../../local/runtime/start-error.ts';
import { findBrowser } from './browsers.ts';
import { type CheckFinding, type DoctorCheck, ok, problem, warning } from './check.ts';
import { dataDirChecks } from './data-dir-checks.ts';

type Environment = NodeJS.ProcessEnv;

/** What `npm start` and the tests need of a machine. */
export const machineChecks: readonly DoctorCheck<Environment>[] = [
  { id: 'node', what: 'Node.js', run: nodeVersion },
  { id: 'port', what: 'Port of the API', run: port },
  ...dataDirChecks,
  { id: 'engine', what: 'DynamoDB engine', run: engine },
  { id: 'browser', what: 'Browser for tests of pages', run: browser },
  { id: 'models', what: 'Model providers', run: modelProviders },
];

async function nodeVersion(): Promise<CheckFinding> {
  const manifest = new URL('../../../node_modules/node/package.json', import.meta.url);
  const { version } = JSON.parse(await readFile(manifest, 'utf8'));
  const running = process.versions.node;
  return running === version
    ? ok(running)
    : problem(
        `${running}, but the project pins ${version}`,
        'Run npm ci, and start commands with npm run or npx.',
      );
}

async function port({ PORT, HOST }: Environment): Promise<CheckFinding> {
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

async function engine(): Promise<CheckFinding> {
  try {
    return ok(await findEngine(thisMachine));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const [message = '', ...rest] = error.message.split('\n');
    return problem(message, rest.join(' ').trim() || 'Install Java 17 or later.');
  }
}

function browser(environment: Environment): CheckFinding {
  const found = findBrowser(environment);
  return found
    ? ok(found)
    : warning(
        'No Chromium: tests of pages are skipped',
        'apt-get install chromium, or set CHROMIUM to its path.',
      );
}

function modelProviders(environment: Environment): CheckFinding {
  const configured = providerNames.filter((name) => deploymentCredentials(name, environment));
  return configured.length > 0
    ? ok(configured.map(nameRequiredSetting).join(', '))
    : warning(
        'None: steps that call a model fail',
        `Set one of ${providerNames.map(nameRequiredSetting).join(', ')}.`,
      );
}
