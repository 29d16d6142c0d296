import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** The layers of `shared/`, each of which may import from itself and from those before it. */
const layers = ['core', 'platform', 'adapters', 'domain', 'execution', 'protocols'];

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

const anyImport = /(?:\bfrom\s+|\bimport\s*\(?\s*)'(\.[^']+)'/g;
/** Those that run: neither types, which the compiler removes, nor what is loaded when it is used. */
const valueImport = /^(?:import|export)\s+(?!type\b)(?:[^;'"]*?\sfrom\s+)?'(\.[^']+)'/gm;
/** What is loaded when it is used, by its process or by a thread. */
const lazyImport = /\b(?:import\s*\(|new URL\()\s*'(\.[^']+)'/g;
const onlyTypes = /^import\s+\{(?:\s*type\s+\w+(?:\s+as\s+\w+)?,?)+\s*\}\s+from\s+'\.[^']+'/gm;

/** What a file imports of the project: at its beginning, when it runs, or for the compiler alone. */
const importsOf = (file: string, kind = anyImport): string[] =>
  [
    ...readFileSync(join(root, file), 'utf8')
      .replace(kind === valueImport ? onlyTypes : '', '')
      .matchAll(kind),
  ].map(([, name = '']) => relative(root, resolve(root, dirname(file), name)));

const shared = filesIn('shared');
const imports = shared.flatMap((from) => importsOf(from).map((to) => ({ from, to })));
const layerOf = (path: string) => layers.indexOf(path.split('/')[1] ?? '');
const edgeText = ({ from, to }: { from: string; to: string }) => `${from} -> ${to}`;

test('every file in shared/ belongs to a layer', () => {
  expect(shared.filter((file) => layerOf(file) < 0)).toEqual([]);
});

test('a layer of shared/ imports only from itself and lower layers', () => {
  expect(imports.length).toBeGreaterThan(shared.length);
  const upwards = imports.filter(({ from, to }) => !to.startsWith('shared/') || layerOf(to) > layerOf(from));
  expect(upwards.map(edgeText)).toEqual([]);
});

/** Where a partition of the sweepers is made, in which items of several entities stand. */
const sweeps = 'shared/platform/cleanup/sweeps.ts';

test('only entity modules create partitions, and only one module writes the tenant into keys', () => {
  const code = [...shared, ...filesIn('functions'), ...filesIn('infra')];
  const withText = (pattern: RegExp) =>
    code.filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));
  const keys = 'shared/platform/data/keys.ts';
  const makers = withText(/\b(tenant|shared)Partition\b/).filter((file) => file !== keys);
  expect(makers).not.toEqual([]);
  expect(new Set(makers).difference(new Set(withText(/\bdefineEntity\(\{/)))).toEqual(new Set([sweeps]));
  expect(withText(/['"`]T#/)).toEqual([keys]);
});

const all = ['shared', 'functions', 'infra', 'console/src', 'packages/client/src'].flatMap(filesIn);

test('folders have no circular imports', () => {
  const edges = all.flatMap((from) =>
    importsOf(from).map((to) => ({ from: dirname(from), to: dirname(to) })),
  );
  expect(circlesIn(edges).map((folders) => folders.join(', '))).toEqual([]);
});

test('files have no circular imports of values', () => {
  const edges = all.flatMap((from) => importsOf(from, valueImport).map((to) => ({ from, to })));
  expect(edges.length).toBeGreaterThan(all.length);
  expect(circlesIn(edges).map((files) => files.join(', '))).toEqual([]);
});

test('what is imported for its types, or when it is used, is no import of a value', () => {
  const text = [
    "import { a, type B } from './a.ts';",
    "import type { C } from './c.ts';",
    "import { type D, type E as F } from './d.ts';",
    "import './e.ts';",
    "export { g } from './g.ts';",
    "const h = () => import('./h.ts');",
  ].join('\n');
  const found = [...text.replace(onlyTypes, '').matchAll(valueImport)].map(([, path]) => path);
  expect(found).toEqual(['./a.ts', './e.ts', './g.ts']);
});

test('what describes the types of steps and tools brings no sandbox into the Lambdas that only read it', () => {
  const leadsTo = new Map(shared.map((file) => [file, new Set(importsOf(file, valueImport))]));
  const registries = ['shared/domain/flows/step-types/index.ts', 'shared/domain/tools/builtin/index.ts'];
  const reached = registries.flatMap((file) => [...reachableFrom(file, leadsTo)]);
  expect(reached.length).toBeGreaterThan(50);
  expect(reached.filter((file) => /\/sandbox(-thread)?\//.test(file))).toEqual([]);
});

test('no module is loaded for what happens then: bundles leave out those of which nothing is used (D289)', () => {
  const { sideEffects } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(sideEffects).not.toContainEqual(expect.stringMatching(/shared|functions\/\*\*/));
  const code = [...shared, ...filesIn('functions')].filter((file) => !file.startsWith('functions/sites/'));
  expect(code.filter((file) => /^import '/m.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
});

test('the check detects a circular import', () => {
  const circle = ['a b', 'b c', 'c a', 'c d', 'd d'];
  const between = circle.map((line) => line.split(' ')).map(([from = '', to = '']) => ({ from, to }));
  expect(circlesIn(between)).toEqual([['a', 'b', 'c']]);
});

/** Smaller than what a module is good for. */
const fragmentLines = 60;
/** Fragments that stay by themselves, and why. */
const excused: Record<string, string> = {
  'infra/aws/region-stack.ts': 'tested without the app, which is made when its module is loaded',
  'infra/local/parent.ts': 'tested in a process of its own',
  'console/src/screens/agents/parts/agent-patch.ts': 'tested without a browser',
  'console/src/screens/home/overview/failure-reasons.ts': 'tested without a browser',
  'console/src/screens/runs/data/newest-pages.ts': 'tested without a browser',
  'console/src/screens/settings/audit-change.ts': 'tested without a browser',
  'console/src/screens/settings/tools/argument-schema.ts': 'tested without a browser',
  'console/src/ui/charts/stacked.ts': 'tested without a browser',
  'console/src/ui/resource/changed.ts': 'tested without a browser',
  'console/src/ui/values/line-difference.ts': 'tested without a browser',
};

/** What lists others by name: each of those is a file of its own. */
const isRegistry = (file: string) => /^(?:index|[a-z-]*screens)\.tsx?$/.test(basename(file));

interface Use {
  from: string;
  to: string;
  isLazy: boolean;
}

const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;

/** Files that one file beside them imports, and that are not loaded when they are used. */
function filesOfOneUser(uses: readonly Use[]): string[] {
  return [...Map.groupBy(uses, ({ to }) => to)].flatMap(([file, found]) => {
    const [user = '', ...others] = new Set(found.map(({ from }) => from));
    const isPart =
      others.length === 0 && dirname(user) === dirname(file) && !found.some(({ isLazy }) => isLazy);
    return isPart && ![user, file].some(isRegistry) ? [file] : [];
  });
}

test('a file of less than 60 lines whose only user stands beside it belongs into that user', () => {
  const files = [...all, ...['packages/cli/src', 'bench', 'docs'].flatMap(filesIn)];
  const uses = files.flatMap((from) => [
    ...importsOf(from).map((to) => ({ from, to, isLazy: false })),
    ...importsOf(from, lazyImport).map((to) => ({ from, to, isLazy: true })),
  ]);
  expect(uses.length).toBeGreaterThan(files.length);
  const fragments = filesOfOneUser(uses)
    .filter((file) => files.includes(file) && !/^(?:functions|bench|docs)\//.test(file))
    .filter((file) => linesOf(file) < fragmentLines);
  expect(fragments.toSorted()).toEqual(Object.keys(excused).toSorted());
});

test('the check finds a fragment, and neither what is loaded when it is used nor what two use', () => {
  const use = (from: string, to: string, isLazy = false) => ({ from, to, isLazy });
  const uses = [
    use('a/one.ts', 'a/part.ts'),
    use('a/one.ts', 'a/lazy.ts', true),
    use('a/one.ts', 'a/both.ts'),
    use('b/two.ts', 'a/both.ts'),
    use('b/two.ts', 'a/far.ts'),
    use('a/index.ts', 'a/kind.ts'),
  ];
  expect(filesOfOneUser(uses)).toEqual(['a/part.ts']);
});

/** Groups of folders or files each of which leads to all others of its group. */
function circlesIn(edges: readonly { from: string; to: string }[]): string[][] {
  const leadsTo = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    if (from !== to) leadsTo.set(from, (leadsTo.get(from) ?? new Set()).add(to));
  }
  const reached = new Map([...leadsTo.keys()].map((one) => [one, reachableFrom(one, leadsTo)]));
  const circles = [...reached].map(([one, others]) =>
    [...others].filter((other) => reached.get(other)?.has(one)).toSorted(),
  );
  return [...new Map(circles.filter(({ length }) => length > 1).map((each) => [each.join(), each])).values()];
}

function reachableFrom(start: string, leadsTo: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>();
  const waiting = [start];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    for (const next of leadsTo.get(one) ?? []) {
      if (!found.has(next)) waiting.push(next);
      found.add(next);
    }
  }
  return found;
}

/** What rounds whole numbers beyond 2^53 (`shared/core/json/exact-json.ts`), and why nothing is lost by it. */
const parsedByDoubles: Record<string, string> = {
  'shared/core/json/exact-json.ts': 'it decides',
  'shared/platform/identity/principal.ts': 'what our authorizer wrote',
  'shared/platform/auth/issuer.ts': 'the metadata of an issuer, of which only texts are read',
  'shared/platform/http/json-body.ts': 'looks for names and numbers to refuse',
  'shared/platform/http/openapi-schemas.ts': 'our own schemas',
  'shared/platform/http/idempotency/once.ts': 'our own answers with secrets, in which such numbers are texts',
  'shared/platform/data/lists/pages.ts': 'our own cursors',
  'shared/platform/data/requests/attempt.ts': 'DynamoDB writes numbers as texts',
  'shared/platform/data/requests/lazy-items.ts': 'DynamoDB writes numbers as texts',
  'shared/protocols/chat/visitor.ts': 'reads the credential of a body alone',
  'shared/protocols/api-mcp/operations.ts': 'our own document',
  'shared/domain/conversations/message-pages.ts': 'our own cursors',
  'shared/domain/flows/checking/flow-steps.ts': 'checks the text of a schema',
  'shared/domain/surfaces/secrets/surface-plaintexts.ts': 'our own texts',
  'shared/domain/mcp-connections/connection-secrets.ts': 'tokens, and seconds',
  'shared/domain/budgets/thresholds.ts': 'our own message',
  'shared/domain/alerts/alert-messages.ts': 'our own message',
  'shared/domain/a2a-tasks/push-config-store.ts': 'our own texts',
  'shared/adapters/data-formats/yaml.ts': 'texts without such numbers',
  'shared/adapters/mcp-server/pages.ts': 'our own cursors',
  'shared/adapters/code/quickjs-locale.ts': 'between a script and its host, with numbers as texts',
  'shared/adapters/code/quickjs.ts': 'the paths of variables',
  'shared/adapters/code/script-values.ts': 'inside the engine of scripts, where it makes bigints',
  'shared/adapters/templates/json-template.ts': 'looks whether a text is JSON',
  'shared/adapters/a2a-server/card-key.ts': 'the key of the operator',
  'shared/adapters/models/providers/provider-keys.ts': 'the keys of the operator',
  'shared/adapters/a2a-client/agent-card.ts': 'the card of an agent, of which only texts are read',
  'shared/adapters/json-schema/validator.ts': 'schemas, which have such numbers in no sensible limit',
  'shared/execution/listed-runs/list-runs.ts': 'our own cursors',
  'shared/execution/step-support/masks.ts': 'our own texts',
  'shared/execution/forecast/step-forecasts.ts': 'counts the characters of a text',
  'shared/execution/runs/checkpoint.ts': 'our own counts and times',
  'functions/surfaces/surface-document.ts': 'our own schemas',
  'functions/static-files.ts': 'our own files',
};

test('JSON of others is parsed by exact-json.ts; what else parses JSON says why it may round', () => {
  const code = [...shared, ...filesIn('functions')];
  const parsing = code.filter((file) =>
    /\bJSON\.parse\(|\.json\(\)|\{ parse, stringify \} = JSON/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(parsing.toSorted()).toEqual(Object.keys(parsedByDoubles).toSorted());
});
