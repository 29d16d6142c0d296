import { expect, test } from 'vitest';
import { previewTool, runTool, stepFailureMessage } from '../run-tool.ts';

const custom = (code: string, config: object = {}) => ({ toolType: 'custom', config: { code, ...config } });

test('the arguments are globals and `input`', async () => {
  expect(await runTool(custom('return [a + b, input.a, typeof secrets]'), { a: 1, b: 2 })).toEqual([
    3,
    1,
    'undefined',
  ]);
  expect(await runTool(custom('(n as number) * 2', { language: 'typescript' }), { n: 4 })).toBe(8);
});

const value = 's3cret-value-of-the-key';
const secrets = async () => new Map([['KEY', { value, version: '1' }]]);

test('a secret reaches the code and no result, also not if an argument asks for it', async () => {
  const tool = custom('return { one: "{{secret:KEY}}".length, two: secrets.KEY, three: input.text }');
  expect(await runTool(tool, { text: '{{secret:KEY}}' }, { secrets })).toEqual({
    one: value.length,
    two: '[secret:KEY]',
    three: '{{secret:KEY}}',
  });
  const failing = custom('throw new Error(secrets.KEY)');
  expect(await stepFailureMessage(runTool(failing, {}, { secrets }))).not.toContain(value);
  expect(await stepFailureMessage(runTool(tool, {}, { secrets: async () => new Map() }))).toContain(
    'has no value',
  );
});

test('an argument with the name of the secrets does not replace them', async () => {
  const tool = custom('return secrets.KEY.length');
  expect(await runTool(tool, { secrets: { KEY: 'x' } }, { secrets })).toBe(value.length);
});

test('a preview shows the code with masked secrets, without reading them', async () => {
  expect(await previewTool(custom('f("{{secret:KEY}}")'), { a: 1 })).toEqual({
    code: 'f("********")',
    input: { a: 1 },
  });
});

test.each([
  ['for (;;);', { timeoutMs: 50 }, 'took longer than 50 ms'],
  ['return "x".repeat(5e6)', {}, 'returned more than 4000000 characters'],
  ['throw new Error("no")', {}, 'failed: Error: no'],
  ['return fetch("http://169.254.169.254/")', {}, 'is not defined'],
  ['await new Promise(() => {})', {}, 'never ends'],
])('%s fails with the name of the tool', async (code, config, message) => {
  const failure = await stepFailureMessage(runTool(custom(code, config)));
  expect(failure).toContain('The tool The_tool failed: ');
  expect(failure).toContain(message);
});
