import { enableCompileCache } from 'node:module';
import { parseArgs } from 'node:util';
import { providerKeys } from '../../shared/adapters/models/providers/provider-keys.ts';
import { log } from '../../shared/core/log.ts';
import { findLocalModel, type LocalModel } from './models/find-local-model.ts';
import { endWithParent } from './parent.ts';
import { countWorkerProcesses, restartWithinMemory } from './runtime/memory.ts';
import { shortageIn } from './runtime/shortages.ts';
import { StartError } from './runtime/start-error.ts';
import type { Stack, StackFacts } from './stack.ts';

/** What `npm start -- --help` writes. The guide has all settings. */
const usage = `Starts the service on this machine.

  npm start                     with data in .local
  npm start -- --ephemeral      with data in memory
  npm start -- --accept-loss    without what DATA_DIR lacks: missing files, the end of a damaged log
  npm start -- --compact        first gives the disk space of deleted data back
  npm start -- --json           writes the addresses and keys as JSON

Settings are environment variables; docs/guides/self-hosting.md has them all:

  PORT, HOST       address of the API (3000, 127.0.0.1); port 0 selects a free port
  DATA_DIR         folder of all data (.local)
  OPENAI_API_KEY, ANTHROPIC_API_KEY, …
                   keys of the model providers
  LOCAL_MODEL      auto, stand-in or off: the model without a provider (auto)
  PUBLIC_URL       URL under which people reach the API
  AGENT_FLOW_INSTALL
                   never: does not install the database engine on machines where npm ci did not
  LOG_LEVEL        info, warn or error (info)
`;

const stopWithinMs = 4_000;

restartWithinMemory();
// The data directory contains keys and secrets: only this user may read the files of this process and its children.
process.umask(0o077);
// Loads what follows in half the time from the second start on.
enableCompileCache();
// Ignore a log that cannot be written, for example because the disk is full or the terminal is closed.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
process.on('unhandledRejection', (error) => log.error('Unhandled promise rejection', { error }));

try {
  await main();
} catch (error) {
  const shortage = shortageIn(error);
  if (!(error instanceof StartError) && !isUsageError(error) && !shortage) throw error;
  const hint = isUsageError(error) ? '. `npm start -- --help` lists the options.' : '';
  const text = shortage ? `The service cannot start: ${shortage}.` : (error as Error).message;
  process.stderr.write(`${text}${hint}\n`);
  process.exit(1);
}

async function main() {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean' },
      ephemeral: { type: 'boolean' },
      'accept-loss': { type: 'boolean' },
      compact: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  let stack: Stack | undefined;
  let model: LocalModel | undefined;
  const end = (code: number) => {
    setTimeout(() => process.exit(code), stopWithinMs);
    Promise.all([stack?.stop(), model?.close()]).finally(() => process.exit(code));
  };
  process.on('SIGINT', () => end(0)).on('SIGTERM', () => end(0));
  // What Windows sends when the window is closed. Elsewhere nohup is to keep the service.
  if (process.platform === 'win32') process.on('SIGHUP', () => end(0));
  if (process.env.npm_lifecycle_event) endWithParent(() => end(0));
  const finding = providerKeys().then((keys) => findLocalModel(process.env, keys));
  const [{ startStack }, found] = await Promise.all([import('./stack.ts'), finding]);
  model = found;
  if (model) process.env.GENERIC_OPENAI_BASE_URL = model.baseUrl;
  stack = await startStack({
    port: portOf(process.env.PORT || '3000'),
    host: process.env.HOST || '127.0.0.1',
    tableName: process.env.TABLE_NAME || undefined,
    acceptLoss: values['accept-loss'],
    compact: values.compact,
    workerProcesses: countWorkerProcesses(),
    dataDir: values.ephemeral ? undefined : process.env.DATA_DIR || '.local',
    onFailure(what) {
      log.error(what);
      end(1);
    },
  });
  const { offerLocalModel } = await import('./models/offer-local-model.ts');
  const { localUser } = await import('./credentials.ts');
  await offerLocalModel(localUser, model);
  const { facts, warnings } = stack;
  for (const warning of warnings) log.warn(warning);
  process.stdout.write(
    values.json
      ? `${JSON.stringify(facts)}\n`
      : welcome(facts, { warnings, ephemeral: values.ephemeral, model }),
  );
}

function portOf(text: string): number {
  const port = Number(text);
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new StartError(`PORT must be a number from 0 to 65535, but is "${text}".`);
}

function isUsageError(error: unknown) {
  return String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
}

interface Circumstances {
  warnings: readonly string[];
  ephemeral: boolean | undefined;
  model: LocalModel | undefined;
}

function welcome(facts: StackFacts, { warnings, ephemeral = false, model }: Circumstances) {
  return `
  API          ${facts.url}
  Console      ${facts.console}
  Reference    ${facts.docs}

  Live key     ${facts.liveKey}
  Test key     ${facts.testKey}
  Session      ${facts.sessionToken}
${model ? `\n  Model        ${model.displayName}, at ${model.baseUrl}. LOCAL_MODEL=off starts without it.\n` : ''}
  ${ephemeral ? 'Data is in memory and is lost at the end.' : 'Data is stored in DATA_DIR (default .local).'} Press Ctrl-C to stop.
${warnings.map((warning) => `\n  Warning: ${warning}\n`).join('')}`;
}
