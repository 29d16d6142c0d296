import { relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { entries } from '../../../infra/aws/conventions/entries.ts';
import { useVariables } from '../../../infra/uses.ts';
import type { Use } from '../../../shared/platform/aws/uses.ts';
import { grantsIn } from './grants-in.ts';
import { synthesise } from './synthesise.ts';

/** What each command of an SDK needs. One that is not here fails the test that meets it. */
const actions: Record<string, string> = {
  SendMessage: 'sqs:SendMessage',
  SendMessageBatch: 'sqs:SendMessage',
  ChangeMessageVisibilityBatch: 'sqs:ChangeMessageVisibility',
  DeleteMessageBatch: 'sqs:DeleteMessage',
  ...named('scheduler', 'CreateSchedule', 'UpdateSchedule', 'DeleteSchedule'),
  SendEmail: 'ses:SendEmail',
  Publish: 'sns:Publish',
  PutEvents: 'events:PutEvents',
  ...named(
    'secretsmanager',
    'CreateSecret',
    'PutSecretValue',
    'GetSecretValue',
    'DeleteSecret',
    'RestoreSecret',
  ),
  ...named('kms', 'Encrypt', 'Decrypt'),
  ...named('s3vectors', 'CreateIndex', 'GetIndex', 'PutVectors', 'QueryVectors', 'DeleteVectors'),
};

/** Commands of the table, which every Lambda may use on its own items. */
const everywhere = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'Scan',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWriteItems',
];

/** Allowed without a command: a query of vectors that returns metadata needs it, and event sources read queues. */
const withoutCommand = [
  's3vectors:GetVectors',
  'sqs:GetQueueAttributes',
  'sqs:GetQueueUrl',
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
];

/** Every bundle with the request stack holds how a session is verified, which only who uses `credentials` calls. */
const unused = ['OIDC_ISSUER', 'OIDC_AUDIENCE'];

/** What changes the table or payloads, by the names that the code of the service has for it. */
const access = {
  'table:delete': /\bwrites\d*\.remove\(|\b(removeAll|removeRange|insertAll)\(|[{,]remove:!0/,
  'payloads:read': /\b(?:payloadReader|jobFileReader|jobUploads)\d*\(/,
  'payloads:write': /\b(?:payloadWriter|jobFileWriter|jobUploads)\d*\(/,
  'payloads:delete': /\b(?:payloadRemover|payloadFolders|jobFileRemover)\d*\(/,
} as const satisfies Partial<Record<Use, RegExp>>;

/** What lets only one use be seen in a bundle, where its variables do not. */
const traces: Partial<Record<Use, RegExp>> = {
  ...access,
  'payloads:list': /list-type/,
  bedrock: /@ai-sdk\/amazon-bedrock/,
};

const variables = [...new Set(Object.values(useVariables).flat())];
const codeOf: Record<string, string> = {};
const commandsIn: Record<string, string[]> = {};
beforeAll(async () => {
  const texts = await bundledTexts([...entries, { id: thread, file: thread }]);
  for (const { id } of entries) {
    const { text, modules } = texts[id] as Bundled;
    const own = [text, modules.has(startsThread) ? (texts[thread]?.text ?? '') : ''];
    codeOf[id] = own.join('\n');
    commandsIn[id] = own.flatMap(commandsOf);
  }
}, 300_000);

/** What starts a thread, and the thread: a bundle has both. */
const startsThread = 'shared/adapters/sandbox/pool.ts';
const thread = 'shared/adapters/sandbox-thread/thread.ts';

/** The code behind every deletion, which all bundles have. */
const ofTheTable = ['table', 'modify'].map((name) => resolve(`shared/platform/data/${name}.ts`));

interface Bundled {
  text: string;
  modules: ReadonlySet<string>;
}

/**
 * The code of each file with what it imports and uses, but for packages, whose imports tell what is used of them: they are
 * most of the code. One build for all reads each source once, where the builds of a deployment take five times as long.
 */
async function bundledTexts(files: readonly { id: string; file: string }[]) {
  const { outputFiles, metafile } = await build({
    entryPoints: Object.fromEntries(files.map(({ id, file }) => [id, file])),
    outdir: 'bundles',
    bundle: true,
    // Names stay, which the traces need.
    minifySyntax: true,
    minifyWhitespace: true,
    packages: 'external',
    external: ofTheTable,
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  const textOf = new Map(outputFiles.map(({ path, text }) => [relative('.', path), text]));
  return Object.fromEntries(
    files.map(({ id }): [string, Bundled] => {
      const path = `bundles/${id}.js`;
      const modules = new Set(Object.keys(metafile.outputs[path]?.inputs ?? {}));
      return [id, { text: textOf.get(path) ?? '', modules }];
    }),
  );
}

function named(service: string, ...commands: string[]) {
  return Object.fromEntries(commands.map((command) => [command, `${service}:${command}`]));
}

const mentions = (id: string, name: string) => new RegExp(`\\b${name}\\b`).test(codeOf[id] ?? '');
/** The commands of AWS that a file makes. */
const commandsOf = (code: string) =>
  [...code.matchAll(/\bimport\{([^}]*)\}from"@aws-sdk\/client-[\w-]+"/g)]
    .flatMap(([, names = '']) => [...names.matchAll(/\b(\w+)Command\b(?: as ([\w$]+))?/g)])
    .filter(([, name, alias = `${name}Command`]) => code.includes(`new ${alias}(`))
    .map(([, name = '']) => name);

const each = entries.map((entry) => [entry.id, entry.uses] as const);

test.each(each)('%s declares a use for every environment variable that its code reads', (id, uses) => {
  const declared: readonly string[] = uses.flatMap((use) => useVariables[use]);
  const read = variables.filter((name) => mentions(id, name));
  expect(read.filter((name) => !declared.includes(name) && !unused.includes(name))).toEqual([]);
});

test.each(each)('%s has code for every use that it declares', (id, uses) => {
  const idle = uses.filter(
    (use) =>
      !useVariables[use].every((name) => mentions(id, name)) ||
      !(traces[use]?.test(codeOf[id] ?? '') ?? true),
  );
  expect(idle).toEqual([]);
});

test('a use that only its trace identifies is declared where the code contains that trace', () => {
  const listing = entries.filter(({ id }) => /list-type/.test(codeOf[id] ?? ''));
  expect(listing.map(({ id }) => id)).toEqual(['workers.clean-up']);
  for (const { uses } of listing) expect(uses).toContain('payloads:list');
});

test('the role of each group may delete items, and read, write and delete payloads, exactly if its code does', () => {
  for (const [group, some] of Map.groupBy(entries, (entry) => entry.group)) {
    const declared = new Set(some.flatMap(({ uses }) => uses));
    const code = some.map(({ id }) => codeOf[id]).join('\n');
    for (const [use, trace] of Object.entries(access))
      expect([use, declared.has(use as Use)], `${group}: ${trace}`).toEqual([use, trace.test(code)]);
  }
});

test('each role allows exactly the commands that its Lambdas’ code uses', () => {
  const grants = grantsIn(synthesise('prod', { sesIdentities: 'example.com' }));
  const services = new Set(Object.values(actions).map(serviceOf));
  for (const [group, some] of Map.groupBy(entries, (entry) => entry.group)) {
    const commands = some
      .flatMap(({ id }) => commandsIn[id] ?? [])
      .filter((name) => !everywhere.includes(name));
    const needed = commands
      .map((name) => actions[name] ?? `What does ${name} need?`)
      .filter((action) => !withoutCommand.includes(action));
    const allowed = grants
      .filter(({ role }) => role === group)
      .flatMap((grant) => grant.actions)
      .filter((action) => services.has(serviceOf(action)) && !withoutCommand.includes(action));
    expect(sortedSet(allowed), group).toEqual(sortedSet(needed));
  }
  expect(commandsIn['workers.run-record']).toContain('SendEmail');
});

const serviceOf = (action: string) => action.split(':')[0];
const sortedSet = (texts: readonly string[]) => [...new Set(texts)].toSorted();
