import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
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
      const base = path.slice(0, -'.yaml'.length);
      const put = (text: string, at: readonly string[]) => {
        const ending = codeMembers.has(at.at(-1) ?? '') ? '.js' : '.md';
        const beside = freePath(files, `${base}/${fileName(at.join(' '))}`, ending);
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
  return forWindows(words.slice(0, 80) || 'unnamed');
}

/** Windows takes these for devices, with any ending. */
const forWindows = (name: string) => (/^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(name) ? `${name}-` : name);

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

/**
 * Writes the files that differ. Nothing is written if one of them is outside of the folder.
 * @param prune Whether to remove the others
 * @throws CliError for a link that leads out of the folder, and for `prune` in a folder that is no workspace
 */
export async function writeFolder(folder: string, document: DocumentLists, prune = false): Promise<Written> {
  await mkdir(folder, { recursive: true });
  // D108
  const root = await realpath(folder);
  const files = documentFiles(document);
  const kinds = kindsInFolders.filter((kind) => document[kind]);
  const found = (await Promise.all(kinds.map((kind) => filesIn(root, kind)))).flat();
  const others = found.filter((path) => !files.has(path));
  if (prune && others.length > 0 && !(await isThere(join(root, main))))
    throw new CliError(
      `${folder} has no ${main}, so its files may be of something else. Run agent-flow pull without --prune first`,
    );
  const places = new Map<string, string>();
  for (const path of files.keys()) places.set(path, await placeIn(root, path));
  const changed: string[] = [];
  for (const [path, at] of places) {
    const text = files.get(path) ?? '';
    if ((await readFile(at, 'utf8').catch(() => undefined)) === text) continue;
    await mkdir(dirname(at), { recursive: true });
    await writeThere(at, text);
    changed.push(path);
  }
  if (prune) for (const path of others) await rm(join(root, path));
  return { changed: changed.sort(), others };
}

/** A link that replaced the file meanwhile is not followed. */
async function writeThere(at: string, text: string): Promise<void> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;
  const file = await open(at, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

/**
 * Where a path of the folder really is, with its links followed, also of a file that is not there yet.
 * @param root The folder, without links
 * @throws CliError if that is outside of the folder: a workspace of somebody else must not read, change or delete what lies there
 */
async function placeIn(root: string, path: string): Promise<string> {
  const named = join(root, path);
  const at = (await isThere(named))
    ? await realpath(named).catch(() => undefined)
    : join(await parentIn(root, path), basename(path));
  if (at === undefined) throw new CliError(`${path} is a link to what is not there`);
  if (!at.startsWith(root + sep)) throw new CliError(`${path} is a link that leads out of the folder`);
  return at;
}

async function parentIn(root: string, path: string): Promise<string> {
  const parent = dirname(path);
  return parent === '.' ? root : placeIn(root, parent);
}

/** @throws CliError for a folder without a workspace, a file that is no YAML, or one outside of the folder */
export async function readFolder(folder: string): Promise<DocumentLists> {
  const root = await realpath(folder).catch(() => folder);
  if (!(await isThere(join(root, main))))
    throw new CliError(`${folder} has no ${main}; write one with agent-flow pull`);
  const read = async (path: string) => parsed(root, path, await textAt(await placeIn(root, path), path));
  const document = (await read(main)) as DocumentLists;
  for (const kind of kindsInFolders) {
    const paths = (await filesIn(root, kind)).filter((path) => /^[^/]+\/[^/]+\.ya?ml$/.test(path));
    if (paths.length === 0) continue;
    document[kind] = [...(document[kind] ?? []), ...((await Promise.all(paths.map(read))) as never[])];
  }
  return document;
}

async function parsed(root: string, path: string, text: string): Promise<unknown> {
  let value: unknown;
  try {
    value = valueOfYaml(text);
  } catch (error) {
    throw new CliError(`${path} is no YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  return withFileTexts(value ?? {}, async (named) => {
    const at = await realpath(join(root, dirname(path), named)).catch(() => {
      throw new CliError(`${path} names the file ${named}, which cannot be read`);
    });
    // A workspace of somebody else must not read what lies beside it.
    if (!at.startsWith(root + sep)) throw new CliError(`${path} names ${named}, which is not in the folder`);
    return textAt(at, named);
  });
}

/** @throws CliError for a file in another encoding, of which every letter beyond ASCII would be lost in what is sent */
async function textAt(at: string, path: string): Promise<string> {
  const bytes = await readFile(at);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CliError(`${path} is not in UTF-8. Save it as UTF-8`);
  }
}

/** The paths of the files in a folder of the workspace, with slashes. Links to folders are not followed. */
async function filesIn(root: string, kind: string): Promise<string[]> {
  if (!(await isThere(join(root, kind)))) return [];
  const folder = await placeIn(root, kind);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && /\.(ya?ml|md|js)$/.test(entry.name))
    .map((entry) => [kind, ...relative(folder, join(entry.parentPath, entry.name)).split(sep)].join('/'))
    .sort();
}
