import { expect, test } from 'vitest';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { runScript } from '../../../support/flows/sandbox.ts';

test('memory stays flat over thousands of evaluations', async () => {
  const variables = { name: 'Ada', order: { items: [{ price: 1 }, { price: 2 }] } };
  const run = () => runScript('return order.items.map(({ price }) => ({ price, of: name }))', variables);
  for (let count = 0; count < 500; count++) await run();
  const before = process.memoryUsage().rss;
  for (let count = 0; count < 1_500; count++) await run();
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
});

test.each([
  [
    'let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o',
    'The script returned a value that nests too deeply',
  ],
  ['let o = {}; for (;;) o = { o }', 'The script needs more than 64 MB of memory'],
  ['const p = Promise.resolve(); for (;;) p.then(() => {})', 'The script needs more than 64 MB of memory'],
  [
    'const f = async () => { await null; return f() }; return f()',
    'The script needs more than 64 MB of memory',
  ],
])('%s fails with its reason', async (script, message) => {
  await expect(runScript(script, {})).rejects.toThrow(new StepError(message));
});

const timeoutMs = 250;
const late = `took longer than ${timeoutMs} ms`;
test.each([
  ['while (true);', late],
  ['for (;;) await 0', late],
  ['try { while (true); } catch {} return 1', late],
  ['return /(a+)+$/.test("a".repeat(40) + "b")', late],
  ['return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)', late],
  ['return new Array(2 ** 32 - 1).join("x")', late],
  ['return new Proxy({}, { get() { while (true); } }).x', late],
  ['throw { get message() { while (true); } }', late],
  ['return { toJSON() { while (true); } }', late],
  ['(function f() { try { f() } finally { f() } })()', late],
  ['(function f() { return f() + 1 })()', 'stack overflow'],
  ['return "x".repeat(2 ** 29)', 'more than 64 MB'],
  ['return new Uint8Array(1e9)', 'more than 64 MB'],
  ['return Array.from({ length: 1e9 })', '(64 MB|took longer)'],
  ['const a = []; while (true) a.push("x".repeat(1e6) + a.length)', '(64 MB|took longer)'],
  ['return JSON.parse("[".repeat(1e6))', '(too deeply|overflow)'],
  ['let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o', '(too deeply|overflow|took longer)'],
  ['eval("(".repeat(1e6))', '(too deeply|overflow)'],
  ['return "x".repeat(5e6)', 'more than 4000000 characters'],
  ['return 10n ** (10n ** 9n)', '(BigInt|memory|took longer)'],
  ['return import("node:fs")', 'could not load module'],
  ['require("fs")', "'require' is not defined"],
])('%s is a StepError, and the next evaluation is unharmed', async (script, reason) => {
  const running = runScript(script, {}, { timeoutMs });
  await expect(running).rejects.toThrow(StepError);
  await expect(running).rejects.toThrow(new RegExp(reason));
  expect(await runScript('return name', { name: 'Ada' })).toBe('Ada');
});
