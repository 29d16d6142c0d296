import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { CliError } from '../cli-error.ts';
import { FileText, toYaml, valueOfYaml, withFiles, withFileTexts } from './texts.ts';

/** Lists by kind: `flows`, `agents`, `tools`, … */
export type DocumentLists = Record<string, Record<string, unknown>[]>;

const main = 'workspace.yaml';
/** Each in a file of its own; all others are in `workspace.yaml`. */
const kindsInFolders = ['flows', 'agents'];

/** Texts of code have the ending that editors know. */
const codeMembers = new Set(['script', 'code']);

/** The files of a document, by their paths with slashes. */
export function documentFiles(document: DocumentLists): Map<string, string> {
  const files = new Map<string, string>();
  const rest = Object.entries(document).filter(([kind]) => !kindsInFolders.includes(kind));
  files.set(main, toYaml(Object.fromEntries(rest)));
  for (const kind of kindsInFolders) {
    for (const entry of document[kind] ?? []) {
      const path = freePath(files, `${kind}/${fileName(String(entry.name))}`, '.yaml');
      const own = path.slice(0, -'.yaml'.length);
      const put = (text: string, at: readonly string[]) => {
        const ending = codeMembers.has(at.at(-1) ?? '') ? '.js' : '.md';
        const beside = freePath(files, `${own}/${fileName(at.join(' '))}`, ending);
        files.set(beside, text);
        return new FileText(beside.slice(kind.length + 1));
      };
      files.set(path, '');
      files.set(path, toYaml(withFiles(entry, put)));
    }
  }
  return files;
}

/** What every file system takes, and no path leads out of the folder. */
function fileName(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return words.slice(0, 80) || 'unnamed';
}

function freePath(files: ReadonlyMap<string, string>, name: string, ending: string): string {
  for (let n = 1; ; n++) {
    const path = `${name}${n === 1 ? '' : `-${n}`}${ending}`;
    if (!files.has(path)) return path;
  }
}

export interface Written {
  changed: string[];
  /** Files of flows and agents that the document does not have. */
  others: string[];
}

/** Writes the files that differ. @param prune Whether to remove the others */
export async function writeFolder(folder: string, document: DocumentLists, prune = false): Promise<Written> {
  const files = documentFiles(document);
  const changed: string[] = [];
  for (const [path, text] of files) {
    const at = join(folder, path);
    if ((await readFile(at, 'utf8').catch(() => undefined)) === text) continue;
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, text);
    changed.push(path);
  }
  const kinds = kindsInFolders.filter((kind) => document[kind]);
  const found = (await Promise.all(kinds.map((kind) => filesIn(folder, kind)))).flat();
  const others = found.filter((path) => !files.has(path));
  if (prune) for (const path of others) await rm(join(folder, path));
  return { changed: changed.sort(), others };
}

/** @throws CliError for a folder without a workspace, a file that is no YAML, or one outside of the folder */
export async function readFolder(folder: string): Promise<DocumentLists> {
  const text = await readFile(join(folder, main), 'utf8').catch(() => {
    throw new CliError(`${folder} has no ${main}; write one with agent-flow pull`);
  });
  const document = (await parsed(folder, main, text)) as DocumentLists;
  for (const kind of kindsInFolders) {
    const paths = (await filesIn(folder, kind)).filter((path) => /^[^/]+\/[^/]+\.ya?ml$/.test(path));
    if (paths.length === 0) continue;
    const entries = paths.map(async (path) =>
      parsed(folder, path, await readFile(join(folder, path), 'utf8')),
    );
    document[kind] = [...(document[kind] ?? []), ...((await Promise.all(entries)) as never[])];
  }
  return document;
}

async function parsed(folder: string, path: string, text: string): Promise<unknown> {
  const root = await realpath(folder);
  let value: unknown;
  try {
    value = valueOfYaml(text);
  } catch (error) {
    throw new CliError(`${path} is no YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  return withFileTexts(value ?? {}, async (named) => {
    const at = await realpath(join(folder, dirname(path), named)).catch(() => {
      throw new CliError(`${path} names the file ${named}, which cannot be read`);
    });
    // A workspace of somebody else must not read what lies beside it.
    if (!at.startsWith(root + sep)) throw new CliError(`${path} names ${named}, which is not in the folder`);
    return readFile(at, 'utf8');
  });
}

/** The paths of the files in a folder of the workspace, with slashes. */
async function filesIn(folder: string, kind: string): Promise<string[]> {
  const entries = await readdir(join(folder, kind), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && /\.(ya?ml|md|js)$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}
