import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentFiles, readFolder, writeFolder } from '../../../packages/cli/src/workspace/folder.ts';

const newFolder = () => mkdtempSync(join(tmpdir(), 'workspace-'));

const long = `Write a guide.\n${'Be short and kind. '.repeat(20)}`;
const script = `const all = [];\n${'all.push(1);\n'.repeat(30)}return all;`;

const document = {
  flows: [
    {
      name: 'Airport guide',
      flowSteps: [
        { type: 'prompt', name: 'Ask', config: { model: 'default', userPrompt: long } },
        { type: 'transform-data', name: 'Sum', config: { script } },
      ],
    },
    { name: 'airport  GUIDE', flowSteps: [] },
  ],
  agents: [{ name: 'Søren / ../..', config: { systemPrompt: long } }],
  tools: [{ name: 'Clock', toolType: 'builtin' }],
};

test('flows and agents have files of their own, and so have their long prompts and scripts', async () => {
  const files = documentFiles(document);
  expect([...files.keys()]).toEqual(
    [
      'workspace.yaml',
      'flows/airport-guide/flowsteps-ask-config-userprompt.md',
      'flows/airport-guide/flowsteps-sum-config-script.js',
      'flows/airport-guide.yaml',
      'flows/airport-guide-2.yaml',
      'agents/s-ren/config-systemprompt.md',
      'agents/s-ren.yaml',
    ].toSorted((a, b) => [...files.keys()].indexOf(a) - [...files.keys()].indexOf(b)),
  );
  expect(files.get('flows/airport-guide.yaml')).toContain(
    'userPrompt: !file airport-guide/flowsteps-ask-config-userprompt.md',
  );
  expect(files.get('flows/airport-guide/flowsteps-ask-config-userprompt.md')).toBe(long);
  expect(files.get('workspace.yaml')).not.toContain('Airport');
});

test('what is written is read again, and written again it changes nothing', async () => {
  const folder = newFolder();
  const { changed } = await writeFolder(folder, document);
  expect(changed).toHaveLength(7);
  const read = await readFolder(folder);
  expect(read).toEqual({ ...document, flows: expect.arrayContaining(document.flows) });
  expect(await writeFolder(folder, document)).toEqual({ changed: [], others: [] });
});

test('any document survives the files', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom(long, `${long}\r\n\t# no: comment\n  - x`, 'yes', '012', '!file x', 'a\n\nb\n', ' \n'),
    fc.string({ unit: 'grapheme-ascii', minLength: 250, maxLength: 300 }).map((each) => `${each}\n${each}`),
  );
  const value = fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 3 });
  const entry = fc.record({
    name: text.filter((name) => name !== ''),
    config: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(text, value)),
  });
  const any = fc.record({
    flows: fc.array(entry, { maxLength: 3 }),
    tools: fc.array(entry, { maxLength: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(any, async (given) => {
      const plain = JSON.parse(JSON.stringify(given));
      const folder = newFolder();
      await writeFolder(folder, plain);
      const { flows = [], tools } = await readFolder(folder);
      const sorted = (list: unknown[]) => list.map((each) => JSON.stringify(each)).toSorted();
      expect(sorted(flows)).toEqual(sorted(plain.flows));
      expect(tools).toEqual(plain.tools);
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 50) },
  );
});

test('files that the deployment does not have stay, unless they are to be removed', async () => {
  const folder = newFolder();
  await writeFolder(folder, document);
  const fewer = { ...document, flows: document.flows.slice(1), agents: [] };
  const { changed, others } = await writeFolder(folder, fewer);
  expect(changed).toEqual(['flows/airport-guide.yaml']);
  expect(others).toHaveLength(5);
  expect((await readFolder(folder)).agents).toHaveLength(1);
  await writeFolder(folder, fewer, true);
  expect(await readFolder(folder)).toEqual({ flows: fewer.flows, tools: document.tools });
});

test.each([
  ['a path out of the folder', '!file ../../secret.md', 'which is not in the folder'],
  ['an absolute path', '!file /etc/hostname', 'cannot be read'],
  ['a link out of the folder', '!file link.md', 'which is not in the folder'],
  ['a file that is not there', '!file none.md', 'cannot be read'],
  ['a broken document', '[', 'is no YAML'],
])('%s is refused', async (_name, value, message) => {
  const outer = newFolder();
  const folder = join(outer, 'workspace');
  mkdirSync(join(folder, 'flows'), { recursive: true });
  writeFileSync(join(outer, 'secret.md'), 'hidden');
  symlinkSync(join(outer, 'secret.md'), join(folder, 'flows/link.md'));
  writeFileSync(join(folder, 'workspace.yaml'), '');
  writeFileSync(join(folder, 'flows/a.yaml'), `name: a\nprompt: ${value}\n`);
  await expect(readFolder(folder)).rejects.toThrow(message);
});

/** A workspace beside the folder of another project, which has a file where one of the workspace would be. */
async function besideAnother() {
  const outer = newFolder();
  const [folder, other] = [join(outer, 'workspace'), join(outer, 'other')];
  await writeFolder(folder, document);
  mkdirSync(other);
  writeFileSync(join(other, 'airport-guide.yaml'), 'name: Theirs\n');
  writeFileSync(join(other, 'notes.md'), 'theirs');
  const theirs = () => readdirSync(other).map((name) => [name, readFileSync(join(other, name), 'utf8')]);
  return { folder, other, theirs, before: theirs() };
}

test.each([
  ['the folder of a kind', 'flows', 'flows', '.'],
  ['a file', 'flows/airport-guide.yaml', 'flows/airport-guide.yaml', 'airport-guide.yaml'],
  ['a file that is not there', 'flows/airport-guide.yaml', 'flows/airport-guide.yaml', 'new.yaml'],
  ['the main file', 'workspace.yaml', 'workspace.yaml', 'notes.md'],
])(
  '%s that is a link out of the folder is neither read, written nor removed',
  async (_what, named, told, to) => {
    const { folder, other, theirs, before } = await besideAnother();
    rmSync(join(folder, named), { recursive: true });
    symlinkSync(join(other, to), join(folder, named));
    const refusal = new RegExp(`${told} is a link`);
    await expect(writeFolder(folder, document)).rejects.toThrow(refusal);
    await expect(readFolder(folder)).rejects.toThrow(refusal);
    // Removes no more than a link.
    await writeFolder(folder, { ...document, flows: [] }, true).catch(() => {});
    expect(theirs()).toEqual(before);
  },
);

test('a refused write changes no file of the folder', async () => {
  const { folder, other } = await besideAnother();
  rmSync(join(folder, 'workspace.yaml'));
  symlinkSync(join(other, 'notes.md'), join(folder, 'workspace.yaml'));
  const changed = { ...document, agents: [{ name: 'new' }] };
  await expect(writeFolder(folder, changed as never)).rejects.toThrow('leads out of the folder');
  expect(readdirSync(join(folder, 'agents'))).not.toContain('new.yaml');
});

test('a folder that is a link itself, and links within the folder, work', async () => {
  const { folder } = await besideAnother();
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  renameSync(join(folder, 'flows'), join(folder, 'moved'));
  symlinkSync('moved', join(folder, 'flows'));
  expect(await writeFolder(link, document, true)).toEqual({ changed: [], others: [] });
  expect(await readFolder(link)).toEqual(await readFolder(folder));
});

test('nothing is removed from a folder that is no workspace', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'agents'));
  writeFileSync(join(folder, 'agents/reviewer.md'), 'of another program');
  await expect(writeFolder(folder, document, true)).rejects.toThrow('without --prune first');
  expect(readdirSync(folder)).toEqual(['agents']);
});

test('a folder without a workspace says how to make one', async () => {
  await expect(readFolder(newFolder())).rejects.toThrow('agent-flow pull');
});

test('a name that Windows takes for a device is written beside it', () => {
  const flows = ['Con', 'AUX', 'lpt1', 'Console'].map((name) => ({ name }));
  const paths = [...documentFiles({ flows }).keys()].filter((path) => path.startsWith('flows/'));
  expect(paths).toEqual(['flows/con-.yaml', 'flows/aux-.yaml', 'flows/lpt1-.yaml', 'flows/console.yaml']);
});

test('a file that is not in UTF-8 is an error that names it, not a document without its letters', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'workspace.yaml'), Buffer.from('tools:\n  - name: Büro\n', 'latin1'));
  await expect(readFolder(folder)).rejects.toThrow('workspace.yaml is not in UTF-8. Save it as UTF-8');
  writeFileSync(join(folder, 'workspace.yaml'), 'tools:\n  - name: Büro\n');
  expect(await readFolder(folder)).toEqual({ tools: [{ name: 'Büro' }] });
});
