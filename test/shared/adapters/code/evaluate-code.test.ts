import { describe, expect, test } from 'vitest';
import * as scripts from '../../../../shared/adapters/code/evaluate-code.ts';
import type { Sandbox } from '../../../../shared/adapters/sandbox/sandbox.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { runExpression, runScript, testSandbox, textProblem } from '../../../support/flows/sandbox.ts';

const variables = { order: { items: [{ price: 2 }, { price: 3 }] }, name: 'Ada', 'with-dash': 1 };

test.each<[string, unknown]>([
  ['return { total: order.items.reduce((sum, { price }) => sum + price, 0) }', { total: 5 }],
  ['return variables["with-dash"] + input.order.items.length', 3],
  ['name.toUpperCase()', 'ADA'],
  ['{ greeting: `Hi ` + name }', { greeting: 'Hi Ada' }],
  ['const later = await Promise.resolve(4);\nreturn later + 1', 5],
  ['return new Promise((resolve) => resolve([1]))', [1]],
  ['const nothing = 1;', null],
  ['return NaN', null],
  ['return () => 1', null],
  ['return new Date(0)', '1970-01-01T00:00:00.000Z'],
  ['return 1 // the end', 1],
])('%s returns %j', async (script, output) => {
  expect(await runScript(script, variables)).toEqual(output);
});

test('a variable called input is that variable, and none replaces a built-in', async () => {
  const script = 'return [input, JSON.stringify([variables.JSON]), typeof Date]';
  expect(await runScript(script, { input: 'mine', JSON: 'yours', Date: 1 })).toEqual([
    'mine',
    '["yours"]',
    'function',
  ]);
});

const long = 'x'.repeat(1_000);
const reach = `(() => {})['constr' + 'uctor']`;
test.each([
  ['by its name', 'return name + order.items.length'],
  ['as a member', 'return [variables.name, input?.order.items[1].price, typeof variables.none]'],
  ['as a computed member', 'const key = "na" + "me"; return [variables[key], input[key.trim()]]'],
  ['as a computed member of one that it names', 'return order["no" + "te"]'],
  ['as one of all members of one that it names', 'return [Object.entries(order), order, { ...order }]'],
  [
    'whose value it changes',
    'order["no" + "te"] = 1; order.more = 2; delete order["de" + "ep"]; return order',
  ],
  ['all in order', 'return [Object.keys(variables), variables, { ...input }]'],
  ['of the global object', 'return Object.keys(globalThis).filter((key) => key !== "z")'],
  ['through a method', 'return [variables.valueOf(), variables.hasOwnProperty("wi" + "th-dash")]'],
  ['in a destructuring', 'const { order, ...rest } = variables; return rest'],
  ['by an escaped name', String.raw`return n\u0061me`],
  ['in code that is put together', `return ${reach}("return na" + "me")()`],
  ['of a global object that is come to by a detour', `return ${reach}("return th" + "is")()["na" + "me"]`],
  [
    'that is caught when it is not there',
    `try { return ${reach}("return na" + "me.length")() } catch { return 1 }`,
  ],
  ['set anew', `${reach}("na" + "me = 5")(); return ${reach}("return na" + "me")()`],
])('a script reads a variable %s, whether it names it or not', async (_, script) => {
  const order = { ...variables.order, note: long, deep: { text: long, '__proto__ ': long }, last: 1 };
  const all = {
    z: 1,
    name: long,
    order,
    'with-dash': long,
    toString: long,
    input: { order, long },
    a: [long],
  };
  const seen = async (code: string) => JSON.stringify(await runScript(code, all));
  // Whoever says `variables` is given all of them.
  expect(await seen(script)).toBe(await seen(`/* variables */ ${script}`));
});

test('only the large values that the code names are copied for it', async () => {
  const copied: string[] = [];
  const watched = ((name, input, limits) => {
    copied.push((input as { variables: string }).variables);
    return testSandbox(name, input, limits);
  }) as Sandbox;
  const all = { long, small: 1, _record: { id: 'r', metadata: { long, list: [long], age: 7 } } };
  const code = 'small > 0 && variables.small === 1 && _record.metadata.age > 5';
  expect(await scripts.evaluateExpression(watched, code, all)).toBe(true);
  expect(copied).toEqual([
    '{"long":null,"small":1,"_record":{"id":"r","metadata":{"long":null,"list":null,"age":7}}}',
  ]);
});

test('returns the value of an expression', async () => {
  expect(await runExpression('order.items.length > 1 && name', variables)).toBe('Ada');
  expect(await runExpression('variables.missing?.deep', variables)).toBe(null);
});

test('TypeScript runs without its types', async () => {
  const script = 'const sum: number = 1 + 1;\nreturn sum as unknown';
  expect(await runScript(script, {}, { language: 'typescript' })).toBe(2);
});

test.each([
  ['const a = 1;\nnobody.here()', "The script failed: ReferenceError: 'nobody' is not defined (line 2)"],
  ['throw new TypeError("wrong")', 'The script failed: TypeError: wrong (line 1)'],
  ['throw { code: 7 }', 'The script failed: {"code":7}'],
  ['await null; throw "late"', 'The script failed: "late"'],
  ['return await new Promise(() => {})', 'The script never ends: it awaits something that cannot happen'],
  ['const a = {}; a.a = a; return a', 'The script failed: TypeError: circular reference'],
  ['throw null', 'The script failed: null'],
  ['throw Promise.resolve(1)', 'The script failed: it threw a promise'],
  ['return Promise.reject(Promise.reject(1))', 'The script failed: it threw a promise'],
])('%s fails with its reason', async (script, message) => {
  await expect(runScript(script, variables)).rejects.toThrow(new StepError(message));
});

test.each<[string, string]>([
  [
    `new Date('2026-01-01T12:00:00Z').toLocaleString('en-US', { timeZone: 'Asia/Tokyo', hour: 'numeric' })`,
    '9 PM',
  ],
  [`new Date('2026-07-01T22:30:00Z').toLocaleDateString('en-CA', { timeZone: 'Europe/Oslo' })`, '2026-07-02'],
  [
    `new Date('2026-01-01T12:00:00Z').toLocaleTimeString(['de-DE'], { timeZone: 'Europe/Berlin' })`,
    '13:00:00',
  ],
  ['new Date(NaN).toLocaleDateString("de")', 'Invalid Date'],
  [`(1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' })`, '$1,234.50'],
  ['(1234567.891).toLocaleString("de-DE")', '1.234.567,891'],
  ['(1234567.891).toLocaleString()', '1,234,567.891'],
  ['(12345678901234567890n).toLocaleString("de")', '12.345.678.901.234.567.890'],
  ['[1234.5, null, 2].toLocaleString("de")', '1.234,5,,2'],
  ['new Float64Array([1234.5]).toLocaleString("de")', '1.234,5'],
  [`['z', 'ä', 'a'].sort((a, b) => a.localeCompare(b, 'de')).join('')`, 'aäz'],
  [`['z', 'ä', 'a'].sort((a, b) => a.localeCompare(b, 'sv')).join('')`, 'azä'],
  [`['a10', 'a9'].sort((a, b) => a.localeCompare(b, undefined, { numeric: true })).join(' ')`, 'a9 a10'],
  [`'I'.toLocaleLowerCase('tr') + 'i'.toLocaleUpperCase(['tr']) + 'I'.toLocaleLowerCase()`, 'ıİi'],
  ['JSON.stringify = () => "x"; Reflect.apply = null; return (1234).toLocaleString("de")', '1.234'],
])('languages, zones and currencies are as in Node: %s', async (script, output) => {
  expect(await runScript(script, {})).toBe(output);
});

test.each([
  ['new Date(0).toLocaleString("de", { timeZone: "Mars/One" })', 'Invalid time zone specified: Mars/One'],
  ['(1).toLocaleString("no such language")', 'RangeError: Incorrect locale'],
  ['(1).toLocaleString("de", { style: "currency" })', 'Currency code is required'],
  ['(1).toLocaleString("de".repeat(1000))', 'at most 1000 characters'],
  ['Date.prototype.toLocaleString.call({})', 'not a Date object'],
  ['new Intl.NumberFormat("de").format(1)', "'Intl' is not defined"],
])('what a language cannot do is an error of the script: %s', async (script, message) => {
  await expect(runScript(script, {})).rejects.toThrow(message);
});

describe('hostile scripts', () => {
  test('reach nothing of the host through any constructor', async () => {
    const script = `
      const global = (async () => {}).constructor('return globalThis')();
      const seen = [typeof process, typeof require, typeof fetch, typeof setTimeout];
      const { constructor } = (await global).constructor;
      return [...seen, typeof constructor('return this')().process];`;
    expect(new Set((await runScript(script, {})) as string[])).toEqual(new Set(['undefined']));
  });

  test('leave nothing behind for the next one, nor in the host', async () => {
    const spoil = `
      Object.prototype.polluted = true; Array.prototype.map = null; JSON.stringify = () => '"evil"';
      globalThis.left = 1; return JSON.parse('{"__proto__": {"polluted": true}}');`;
    const output = (await runScript(spoil, {})) as object;
    expect(Object.getPrototypeOf(output)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
    expect(await runScript('return [typeof left, {}.polluted === undefined, [1].map(String)]', {})).toEqual([
      'undefined',
      true,
      ['1'],
    ]);
  });

  test('cannot change the variables of the run', async () => {
    await runScript('order.items.length = 0; variables.name = 0; return 1', variables);
    expect(variables).toMatchObject({ order: { items: [{ price: 2 }, { price: 3 }] }, name: 'Ada' });
  });

  test('that run together with a valid one do not break it', async () => {
    const bad = () => runScript('return JSON.parse("[".repeat(1e6))', {});
    const good = () => runScript('return 1', {});
    const results = await Promise.allSettled([bad(), good(), bad(), good(), good()]);
    expect(results.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });
});

test('syntax is checked without running anything', async () => {
  expect(await textProblem('script', 'while (true);')).toBeUndefined();
  expect(await textProblem('script', 'return 1')).toBeUndefined();
  expect(await textProblem('script', 'const a = 1;\nconst b = ;')).toBe("Unexpected token ';' (line 2)");
  expect(await textProblem('script', 'const a: number = 1')).toContain('Missing initializer');
  expect(await textProblem('typescript', 'const a: number = 1')).toBeUndefined();
  expect(await textProblem('typescript', 'enum A { B }')).toContain('enum');
  expect(await textProblem('expression', 'a > 1')).toBeUndefined();
  expect(await textProblem('expression', 'return 1')).toContain("Unexpected token 'return'");
});

test('nested brackets, for which the compiler needs quadratic memory, are rejected at 500', async () => {
  const classes = (levels: number) => `${'(class{x='.repeat(levels)}1${'})'.repeat(levels)}`;
  expect(await textProblem('script', classes(200))).toBeUndefined();
  expect(await textProblem('script', classes(300))).toBe('The code is nested too deeply');
  expect(await textProblem('typescript', classes(300))).toBe('The code is nested too deeply');
  expect(await textProblem('expression', `${'[1], (2), '.repeat(1_000)}3`)).toBeUndefined();
});

test.each([
  ['250,000 values', 'Array(250_001).fill(0)'],
  ['50,000 members', 'Object.fromEntries(Array.from({ length: 50_001 }, (_, at) => [at, 0]))'],
])('more than %s are an error, and are not parsed', async (_what, code) => {
  await expect(runScript(code, {})).rejects.toThrow(
    'The script returned more than 250000 values, each list and object with what is in it counted, or large objects with more than 50000 members; return less',
  );
});
