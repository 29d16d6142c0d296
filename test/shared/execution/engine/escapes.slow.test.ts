import { expect, test } from 'vitest';
import { tryParseJson } from '../../../../shared/core/json/json.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import {
  renderTemplate,
  renderValue,
  runExpression,
  runScript,
  textProblem,
} from '../../../support/flows/sandbox.ts';

const variables = { name: 'Ada', order: { items: [1, 2] } };
const timeoutMs = 250;
const script = (code: string) => runScript(code, variables, { timeoutMs });

const builtIns = [Object, Array, String, Function, Promise, Map, RegExp, Error, JSON, Math];
const shapeOfHost = () =>
  builtIns.map((each) => [
    Reflect.ownKeys(each).map(String),
    Reflect.ownKeys((each as { prototype?: object }).prototype ?? {}).map(String),
  ]);
const hostBefore = shapeOfHost();

/** The next run in this process works, and finds all as it was. */
async function expectUnharmed() {
  expect(await runScript('return order.items.map((n) => n * 2)', variables)).toEqual([2, 4]);
  expect(await runExpression('name === "Ada"', variables)).toBe(true);
  expect(await runScript('return (name as string)', variables, { language: 'typescript' })).toBe('Ada');
  expect(
    await renderTemplate('{{ name | upcase }}{% for n in order.items %}{{ n }}{% endfor %}', variables),
  ).toBe('ADA12');
  expect(variables).toEqual({ name: 'Ada', order: { items: [1, 2] } });
  expect(shapeOfHost()).toEqual(hostBefore);
}

const nothingOfTheHost = 'typeof process + typeof require + typeof module + typeof fetch + typeof console';
const undefinedFiveTimes = 'undefined'.repeat(5);

test.each<[why: string, code: string, output: unknown]>([
  ['Function', `return Function("return ${nothingOfTheHost}")()`, undefinedFiveTimes],
  ['indirect eval', `return (0, eval)("${nothingOfTheHost}")`, undefinedFiveTimes],
  [
    'a literal’s constructor',
    `return [].constructor.constructor("return ${nothingOfTheHost}")()`,
    undefinedFiveTimes,
  ],
  [
    'the constructor of generators',
    `return (function* () {}).constructor("yield ${nothingOfTheHost}")().next().value`,
    undefinedFiveTimes,
  ],
  [
    'the constructor of async functions',
    `return (async () => {}).constructor("return ${nothingOfTheHost}")()`,
    undefinedFiveTimes,
  ],
  [
    'an error’s constructor',
    `try { null.x } catch (e) { return e.constructor.constructor("return ${nothingOfTheHost}")() }`,
    undefinedFiveTimes,
  ],
  [
    'a variable’s constructor',
    `return order.constructor.constructor("return ${nothingOfTheHost}")()`,
    undefinedFiveTimes,
  ],
  ['this', 'return typeof this.process', 'undefined'],
  ['with', 'with (globalThis) { return typeof process }', 'undefined'],
  [
    'QuickJS’ own modules',
    'return [typeof std, typeof os, typeof bjson, typeof print].join()',
    'undefined,undefined,undefined,undefined',
  ],
  [
    'stack frames as objects',
    'Error.prepareStackTrace = (e, frames) => frames; return typeof new Error("x").stack',
    'string',
  ],
  ['the path of the host in a stack', 'return /node|quickjs|work/.test(new Error("x").stack)', false],
  ['closing the wrapper', '}\n)(), (async () => { return 5', 5],
  [
    'prototypes of variables',
    'order.__proto__.polluted = 1; order.items.__proto__.map = null; return {}.polluted',
    1,
  ],
  [
    '__proto__ in what it returns',
    'return JSON.parse(`{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}`)',
    JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'),
  ],
  ['toJSON on every object', 'Object.prototype.toJSON = () => "hijacked"; return { a: 1 }', 'hijacked'],
  ['no JSON, no Promise', 'delete globalThis.JSON; delete globalThis.Promise; return { a: 1 }', { a: 1 }],
  ['a Promise that cannot be awaited', 'Promise.prototype.then = () => { throw 1 }; return 5', 5],
  ['a thenable', 'return { then(resolve) { resolve({ a: 1 }) } }', { a: 1 }],
  [
    'Symbol.species that gives something else',
    'class A extends Array { static get [Symbol.species]() { return function () { return globalThis } } } return typeof new A(1, 2).map((x) => x)',
    'object',
  ],
  ['a weak reference', 'return typeof new WeakRef({}).deref()', 'undefined'],
  ['a finaliser that never ends', 'new FinalizationRegistry(() => { for (;;); }).register({}); return 1', 1],
  ['half a character', 'return "\\ud800"', '\ud800'],
])('a script reaches nothing through %s', async (_why, code, output) => {
  expect(await script(code)).toEqual(output);
  await expectUnharmed();
});

const late = /^The script took longer than 250 ms$/;
const outOfMemory = /^The script (needs more than 64 MB of memory|took longer than 250 ms)$/;
test.each<[why: string, code: string, says: RegExp]>([
  ['require', 'require("fs")', /'require' is not defined \(line 1\)$/],
  ['import()', 'return import("node:child_process")', /could not load module 'node:child_process'$/],
  ['import() of a file', 'return import("./quickjs.ts")', /could not load module/],
  ['import() of data', 'return import("data:text/javascript,export default 1")', /could not load module/],
  ['import.meta', 'return import.meta.url', /SyntaxError/],
  ['timers', 'setTimeout(() => {}, 0)', /'setTimeout' is not defined/],
  [
    'Atomics.wait',
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
    /'Atomics' is not defined/,
  ],
  ['a loop outside of the wrapper', '})(); (() => { while (true); })(); (async () => {', late],
  ['a generator without end', 'function* g() { while (true) yield 1 } return [...g()]', outOfMemory],
  [
    'an async generator without end',
    'async function* g() { for (;;) yield 1 } for await (const x of g());',
    late,
  ],
  [
    'an iterator without end',
    'return Array.from({ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) })',
    /(64 MB|250 ms)/,
  ],
  [
    'microtasks without end',
    'await new Promise(() => { (function again() { Promise.resolve().then(again) })() })',
    late,
  ],
  [
    'async recursion',
    'const f = async () => { await 0; return f() }; return f()',
    // Which limit it meets first depends on the machine.
    /^The script (took longer than 250 ms|broke the sandbox: .*|needs more than 64 MB of memory)$/s,
  ],
  [
    'a promise that is never kept',
    'return new Promise(() => {})',
    /never ends: it awaits something that cannot happen$/,
  ],
  ['a thenable that never resolves', 'return { then() {} }', /never ends/],
  [
    'a then that loops',
    'Object.defineProperty(Object.prototype, "then", { get() { while (true); } }); return {}',
    late,
  ],
  ['a getter that loops in the output', 'return { get x() { while (true); } }', late],
  [
    'a getter that throws in the output',
    'return { get x() { throw new Error("getter") } }',
    /^The script failed: Error: getter \(line 1\)$/,
  ],
  ['a proxy that loops in the output', 'return new Proxy({}, { ownKeys() { while (true); } })', late],
  [
    'Symbol.species that loops',
    'class A extends Array { static get [Symbol.species]() { while (true); } } return new A(1).map((x) => x)',
    late,
  ],
  ['a comparison that loops', 'return [2, 1].sort(() => { while (true); })', late],
  ['regular expressions', 'return /(?:a|a)*b/.test("a".repeat(5e4))', late],
  ['regular expressions in match', 'return "a".repeat(1e5).match(/(.*)*x/)', late],
  ['a replacement that doubles', 'let r = "x"; while (true) r = r.replace(/x/g, "xx")', outOfMemory],
  [
    'too many captures',
    'return new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("a")',
    /too many captures/,
  ],
  ['recursion', 'const f = () => [f()]; return f()', /stack overflow/],
  ['recursion by getters', 'const o = { get o() { return o.o } }; return o.o', /stack overflow/],
  ['deep JSON', `return JSON.parse('{"a":'.repeat(5e4) + 1 + '}'.repeat(5e4))`, /(too deeply|overflow)/],
  ['doubling a text', 'let s = "ab"; for (;;) s += s', /(string too long|64 MB)/],
  ['repeat', 'return "x".repeat(1e9)', /(invalid string length|64 MB)/],
  ['padding', 'return "x".padEnd(2 ** 30)', /(invalid string length|64 MB)/],
  ['typed arrays', 'const all = []; for (;;) all.push(new Float64Array(1e6).fill(1))', outOfMemory],
  ['shared memory', 'return new SharedArrayBuffer(1e9).byteLength', outOfMemory],
  ['concatenation', 'let a = [1]; for (;;) a = a.concat(a)', outOfMemory],
  ['a map', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })', outOfMemory],
  ['a sparse array', 'const a = []; a[2 ** 32 - 2] = 1; return a', /(64 MB|250 ms|4000000)/],
  ['spread', 'return Math.max(...Array(1e6).fill(1))', /(too many arguments|64 MB)/],
  ['a huge output', 'return Array(2e6).fill("xyz")', /(more than 4000000 characters|250 ms)/],
  ['a huge integer', 'return String(2n ** (2n ** 30n))', /(BigInt|memory|250 ms|RangeError)/],
])('a script cannot escape or keep running through %s', async (_why, code, says) => {
  expect((await stepFailure(script(code))).message).toMatch(says);
  // The limit, V8's grace, and time for a machine that is busy.
  await expectUnharmed();
});

test.each<[thrown: string, message: string | RegExp]>([
  ['{ message: { toString: 1 } }', 'The script failed: {"message":{"toString":1}}'],
  ['{ message: "m", stack: { toString: 1 } }', 'The script failed: Error: m'],
  ['{ name: {}, message: "m" }', 'The script failed: Error: m'],
  ['{ get message() { throw 5 } }', /^The script failed: /],
  ['{ get stack() { while (true); }, message: "m" }', late],
  ['new Proxy(new Error("x"), { get() { throw 1 } })', /^The script failed: /],
  ['Symbol("s")', 'The script failed: Symbol(s)'],
  ['10n', 'The script failed: 10'],
  ['undefined', 'The script failed: undefined'],
  ['() => 1', 'The script failed: "() => 1"'],
  ['new Error("x".repeat(1e6))', `The script ${'failed: Error: '.padEnd(500, 'x')}… (line 1)`],
  [
    'Object.assign(new Error("m"), { name: "n".repeat(1e6) })',
    `The script ${'failed: '.padEnd(500, 'n')}… (line 1)`,
  ],
])('any thrown value, here %s, becomes a message', async (thrown, message) => {
  const failure = await stepFailure(script(`throw ${thrown}`));
  expect(failure.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  await expectUnharmed();
});

test.each([
  '('.repeat(50_000) + ')'.repeat(50_000),
  '['.repeat(50_000),
  '{'.repeat(50_000),
  `type A = ${'Array<'.repeat(10_000)}x${'>'.repeat(10_000)}`,
  `return ${'!'.repeat(90_000)}1`,
  `return ${'a?'.repeat(20_000)}b${':c'.repeat(20_000)}`,
  `return ${'x=>'.repeat(30_000)}1`,
])('deeply nested TypeScript is rejected, and the next script is not (%#)', async (code) => {
  expect(await textProblem('typescript', code)).toEqual(expect.any(String));
  await stepFailure(runScript(code, variables, { language: 'typescript' }));
  await expectUnharmed();
});

const long = 'x'.repeat(100_000);
const bombs = {
  ...variables,
  long,
  digits: '1'.repeat(200_000),
  numbers: Array.from({ length: 100_000 }, (_, n) => n),
};

test.each([
  '{{ name.constructor }}{{ name.constructor.constructor }}{{ order.__proto__ }}{{ order["__proto__"] }}',
  '{{ order.hasOwnProperty }}{{ order.items.map }}{{ order.items.constructor.name }}{{ __proto__.x }}',
  '{{ globalThis }}{{ process.env }}{{ this }}{{ require }}{{ self }}{{ global.process }}',
  '{{ order | map: "constructor" }}{{ order.items | map: "__proto__" }}',
  '{% assign __proto__ = order %}{{ polluted }}{% assign constructor = 1 %}{{ nothing.constructor }}',
  '{{ order.items | where: "constructor" }}'.replace('where', 'find'),
])('the template %s reveals nothing of the host', async (template) => {
  expect(await renderTemplate(template, variables)).not.toMatch(
    /function|native|\[object|Object|process|\/work/,
  );
  await expectUnharmed();
});

test.each(['include', 'render', 'layout', 'block'])('a template cannot %s a file', async (tag) => {
  expect(await textProblem('template', `{% ${tag} "/etc/passwd" %}`)).toContain(`"${tag}" not found`);
  await expect(renderTemplate(`{% ${tag} "../../package.json" %}`, variables)).rejects.toThrow(
    /could not be rendered/,
  );
});

const tooMuch =
  /^The template could not be rendered: .*(limit exceeded|takes longer|more than 4000000|Invalid string length)/;
test.each([
  '{% for i in (1..1000000000) %}x{% endfor %}',
  '{% for a in numbers %}{% for b in numbers %}{% endfor %}{% endfor %}',
  '{% tablerow i in (1..100000000) cols:2 %}{{ i }}{% endtablerow %}',
  '{% assign a = "xx" %}{% for i in (1..64) %}{% assign a = a | append: a %}{% endfor %}{{ a | size }}',
  '{% assign a = numbers %}{% for i in (1..40) %}{% assign a = a | concat: a %}{% endfor %}{{ a | size }}',
  '{% for i in (1..1000000) %}{% capture a %}{{ a }}{{ long }}{% endcapture %}{% endfor %}',
  '{{ (1..100000000) }}',
  '{{ (1..9000000) | join: long }}',
  '{{ long | replace: "x", long }}',
  '{{ long | split: "" | join: long }}',
  '{{ digits | slice: digits }}',
  '{{ numbers | join: long }}',
  '{% for n in numbers %}{{ numbers | sort | sum }}{% endfor %}',
  '{{ "now" | date: "%99999999999d" }}',
  '{{ long }}'.repeat(9_000),
  '{{ numbers }}'.repeat(7_000),
])('the template %.80s is terminated in time', async (template) => {
  await expect(renderTemplate(template, bombs)).rejects.toThrow(tooMuch);
  await expectUnharmed();
});

test.each([
  `${'{% if a %}'.repeat(9_000)}${'{% endif %}'.repeat(9_000)}`,
  `{{ ${'a['.repeat(40_000)}1${']'.repeat(40_000)} }}`,
  `{{ a${' | upcase'.repeat(11_000)} }}`,
  '{{ '.repeat(30_000),
])('a deeply nested template is rejected or rendered (%#)', async (template) => {
  const problem = await textProblem('template', template);
  const filled = renderTemplate(template, variables);
  if (problem === undefined) expect(await filled).toBe('');
  else await expect(filled).rejects.toThrow(/could not be rendered/);
  await expectUnharmed();
});

test('a rendered value has __proto__ as an ordinary member', async () => {
  const value = JSON.parse('{"__proto__": {"polluted": "{{ name }}"}}');
  const filled = (await renderValue(value, variables)) as object;
  expect(Object.keys(filled)).toEqual(['__proto__']);
  expect('polluted' in filled).toBe(false);
});

test('external JSON that is too deep to serialise stays text', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(tryParseJson(deep)).toBeUndefined();
  const value = tryParseJson('['.repeat(100) + ']'.repeat(100));
  expect(await runScript('return Array.isArray(value)', { value })).toBe(true);
  expect(await renderTemplate('{{ value }}', { value })).toHaveLength(200);
});
