import { Document, parse, type ScalarTag, visit } from 'yaml';

/** A text that stands in a file of its own. */
export class FileText {
  readonly path: string;
  constructor(path: string) {
    this.path = path;
  }
}

/** `prompt: !file ask.md` */
const fileTag: ScalarTag = {
  tag: '!file',
  identify: (value) => value instanceof FileText,
  resolve: (path) => new FileText(path),
  stringify: ({ value }) => (value as FileText).path,
};

const options = { customTags: [fileTag] };

/** Blank space that the blocks of YAML do not keep. */
const isDelicate = (text: string) => /[^\S\n]\n|[^\S\n]$|^\s|\r/.test(text);

export function toYaml(value: unknown): string {
  const document = new Document(value, options);
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && isDelicate(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0, blockQuote: 'literal' });
}

export const valueOfYaml = (text: string): unknown => parse(text, options);

/** Shorter texts are read best where they stand. */
const charactersMin = 200;

/** A copy of a value in which long texts of several lines are replaced. @param put Gets the text and where it stands */
export function withFiles(
  value: unknown,
  put: (text: string, at: readonly string[]) => FileText,
  at: readonly string[] = [],
): unknown {
  if (typeof value === 'string') {
    const isLong = value.length >= charactersMin && value.trimEnd().includes('\n');
    return isLong ? put(value, at) : value;
  }
  if (Array.isArray(value)) return value.map((item, n) => withFiles(item, put, [...at, nameOf(item, n)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withFiles(member, put, [...at, name])]),
  );
}

/** Items have names where they can: a step is known by its own, also when another comes before it. */
const nameOf = (item: unknown, n: number): string => {
  const { name } = Object(item) as { name?: unknown };
  return typeof name === 'string' ? name : String(n);
};

/** A copy of a value in which the texts of files stand again. */
export async function withFileTexts(
  value: unknown,
  read: (path: string) => Promise<string>,
): Promise<unknown> {
  if (value instanceof FileText) return read(value.path);
  if (Array.isArray(value)) return Promise.all(value.map((item) => withFileTexts(item, read)));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(
    async ([name, member]) => [name, await withFileTexts(member, read)] as const,
  );
  return Object.fromEntries(await Promise.all(members));
}
