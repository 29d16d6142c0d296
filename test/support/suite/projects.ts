import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * The projects of the tests, cheapest first. A test belongs to the first one whose mark it reaches by its imports within
 * `test/`, from the last project on; without any it is a unit test.
 */
export const projectNames = ['unit', 'service', 'fresh', 'cdk', 'console', 'process'] as const;
export type ProjectName = (typeof projectNames)[number];

/** What a test of a project reaches: the harness that it needs. */
const marks: Record<Exclude<ProjectName, 'unit'>, RegExp> = {
  service:
    /test\/support\/(stack\/stack|suite\/global-setup)\.ts$|\binject\(|infra\/local\/(stack|runtime\/invoke)\.ts'|process\.env/,
  fresh: /test\/support\/suite\/fresh-modules\.ts$/,
  cdk: /'aws-cdk-lib\/|infra\/aws\/(app|sizes\/[\w-]+)\.ts'|bench\/costs\/(document|idle|template)\.ts'|docs\/generate\/generated\.ts'/,
  console: /test\/support\/console\/browser\.ts$/,
  process: /test\/support\/stack\/processes\.ts$/,
};

/** The long ones, which `npm run test:slow` runs. */
const slowMark = '.slow.test.ts';

/** What reads lists to their end: with `PAGES_SEED`, only these run, on short pages, where no number of requests is certain. */
const onShortPages = [
  ...['audit-log', 'conversations', 'run-metrics', 'agents/(list|manage)', 'workspace/round-trip'],
  ...['batches/(cancel|retry|run-flow)', 'flows/(delete|list|run-on-record-type)', 'runs/(cancel|list)'],
  'records/(bulk-delete|delete|delete-result|export|list|results|step-results)',
  'workers/sweep',
].map((name) => `functions/${name}`);
const shortPages = new RegExp(
  `^test/(${[...onShortPages, 'shared/execution/batches/starting', 'shared/platform/migrations'].join('|')})\\b[^-]`,
);

const root = resolve(import.meta.dirname, '../../..');

/** The files of a project, relative to the root. */
export function projectFiles(project: ProjectName, { slow }: { slow: boolean }): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] });
  const isAsked = (file: string) => !process.env.PAGES_SEED || shortPages.test(file);
  return files.filter(
    (file) => isAsked(file) && file.endsWith(slowMark) === slow && projectOf(file) === project,
  );
}

function projectOf(file: string): ProjectName {
  const reached = [...reach(join(root, file))].flatMap((each) => [relative(root, each), textOf(each)]);
  const named = projectNames.findLast(
    (name) => name !== 'unit' && reached.some((text) => marks[name].test(text)),
  );
  return named ?? 'unit';
}

/** A file of `test/` and those that it imports. */
function reach(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !existsSync(file)) return seen;
  seen.add(file);
  for (const [, path = ''] of textOf(file).matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
    const imported = resolve(dirname(file), path);
    if (imported.startsWith(join(root, 'test'))) reach(imported, seen);
  }
  return seen;
}

const texts = new Map<string, string>();
function textOf(file: string): string {
  const known = texts.get(file) ?? readFileSync(file, 'utf8');
  texts.set(file, known);
  return known;
}
