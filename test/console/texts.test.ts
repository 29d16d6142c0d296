import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'vite';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../console/src');
const files = globSync('**/*.{ts,tsx}', { cwd: root });
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const isModuleOfTexts = (file: string) => file.startsWith('texts/');
/** Templates are content that people create, not texts of the console. */
const isTemplate = (file: string) => /^templates\/[^/]+\.ts$/.test(file);

/** Attributes of elements, and members of objects such as columns and menus, whose values are texts. */
const textNames = new Set(
  ['action', 'alt', 'aria-label', 'confirm', 'description', 'detail', 'empty', 'heading', 'help', 'hint']
    .concat(['label', 'message', 'none', 'placeholder', 'question', 'submit', 'summary', 'text', 'title'])
    .concat(['what', 'words']),
);
/** Functions whose arguments people read. */
const speaking = new Set(['notify', 'Error', 'SyntaxError', 'setProblem', 'setSaid']);

/** Code that people type, keys of the keyboard, and errors that only programmers see. */
const exceptions = [
  'api/api.ts: Not signed in',
  'routing/screens.ts: The address has no …',
  'screens/agents/tools/tools-field.tsx: mcp:server:tool',
  'screens/flows/data/editing.tsx: Not in the editor of a flow',
  'screens/flows/editor/suggestions.ts: _record.id',
  'screens/flows/editor/suggestions.ts: _record.metadata',
  'screens/flows/editor/suggestions.ts: _record.metadata.…',
  'screens/flows/editor/suggestions.ts: _record.name',
  'screens/flows/editor/suggestions.ts: _record.type',
  'screens/flows/editor/suggestions.ts: secret:…',
  'screens/products/addresses.tsx: POST ……',
  'screens/settings/audit-log.tsx: api-key.created',
  'screens/settings/budgets.tsx: block',
  'screens/settings/secrets.tsx: {{secret:NAME}}',
  'shell/shortcuts/keys.ts: Ctrl K',
];

type Node = ESTree.Node | null | undefined;

/** The texts that an expression may have as its value. */
function valuesOf(node: Node): string[] {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : [];
    case 'TemplateLiteral':
      return [node.quasis.map(({ value }) => value.raw).join('…')];
    case 'ConditionalExpression':
      return [...valuesOf(node.consequent), ...valuesOf(node.alternate)];
    case 'LogicalExpression':
      return [...valuesOf(node.left), ...valuesOf(node.right)];
    case 'BinaryExpression':
      return node.operator === '+' ? [...valuesOf(node.left), ...valuesOf(node.right)] : [];
    case 'JSXExpressionContainer':
      return valuesOf(node.expression);
    default:
      return [];
  }
}

/** What a component says in words of its own. */
function textsIn(file: string, code = read(file)): string[] {
  const found: string[] = [];
  const add = (texts: string[]) => found.push(...texts.filter((text) => /\p{L}{2}/u.test(text)));
  const children = ({ children }: { children: ESTree.JSXChild[] }) =>
    add(children.flatMap((each) => (each.type === 'JSXExpressionContainer' ? valuesOf(each) : [])));
  const argumentsOf = ({ callee, arguments: given }: ESTree.CallExpression | ESTree.NewExpression) => {
    const speaks = callee.type === 'Super' || (callee.type === 'Identifier' && speaking.has(callee.name));
    if (speaks) add(given.flatMap(valuesOf));
  };
  new Visitor({
    JSXText: ({ value }) => add([value.trim()]),
    JSXElement: children,
    JSXFragment: children,
    JSXAttribute({ name, value }) {
      if (name.type === 'JSXIdentifier' && textNames.has(name.name)) add(valuesOf(value));
    },
    Property({ key, value }) {
      const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? key.value : undefined;
      if (typeof name === 'string' && textNames.has(name)) add(valuesOf(value));
    },
    CallExpression: argumentsOf,
    NewExpression: argumentsOf,
  }).visit(parseSync(file, code).program);
  return found.map((text) => `${file}: ${text}`);
}

test('components have no texts of their own', () => {
  const sources = files.filter((file) => !isModuleOfTexts(file) && !isTemplate(file));
  expect(sources.flatMap((file) => textsIn(file)).toSorted()).toEqual(exceptions);
});

test('the check detects texts in elements, attributes, members and notices', () => {
  const code = `const screen = (
    <Page title={isNew ? 'New' : \`Edit \${name}\`} className="plain">
      <p>Nothing yet {count > 0 && 'so far'} {texts.empty}</p>
      <Table columns={[{ title: 'Cost', width: 'wide' }]} onPress={() => notify('Saved')} />
    </Page>
  );`;
  const found = ['New', 'Edit …', 'Nothing yet', 'so far', 'Cost', 'Saved'];
  expect(textsIn('screen.tsx', code)).toEqual(
    expect.arrayContaining(found.map((text) => `screen.tsx: ${text}`)),
  );
  expect(textsIn('screen.tsx', code)).toHaveLength(found.length);
});

test('every text is used', async () => {
  const modules = files.filter(isModuleOfTexts);
  const all = files.map(read).join('\n');
  const unused = await Promise.all(
    modules.map(async (file) => {
      const constants: Record<string, unknown> = await import(join(root, file));
      return Object.entries(constants)
        .filter(([name]) => name.endsWith('Texts'))
        .flatMap(([name, texts]) => Object.keys(texts as object).map((key) => `${name}.${key}`))
        .filter((use) => !new RegExp(`\\b${use}\\b`).test(all));
    }),
  );
  expect(modules.length).toBeGreaterThan(15);
  expect(unused.flat()).toEqual([]);
});
