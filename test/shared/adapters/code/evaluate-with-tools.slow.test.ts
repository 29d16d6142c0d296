import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { evaluateScript } from '../../../../shared/adapters/code/evaluate-code.ts';
import {
  type CodeWithTools,
  evaluateWithTools,
} from '../../../../shared/adapters/code/evaluate-with-tools.ts';
import { tenantSandbox } from '../../../../shared/adapters/sandbox/sandbox.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { testSandbox } from '../../../support/flows/sandbox.ts';
import { eventually } from '../../../support/stack/eventually.ts';

type Call = CodeWithTools['call'];
const echo: Call = async (tool, args) => ({ tool, args });
const run = (code: string, call: Call = echo, more: Partial<CodeWithTools> = {}) =>
  evaluateWithTools(more.signal ? testSandbox : tenantSandbox('coder'), {
    code,
    call,
    toolNames: ['look', 'send-mail', 'slow'],
    callsMax: 20,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...more,
  });
const value = async (code: string, call?: Call) => {
  const outcome = await run(code, call);
  return 'error' in outcome ? outcome : JSON.parse(outcome.json ?? 'null');
};

test('code calls tools, awaits their results and returns a value', async () => {
  expect(await value('const a = await tools.look({ n: 1 }); return [a, await tools["send-mail"]()]')).toEqual(
    [
      { tool: 'look', args: { n: 1 } },
      { tool: 'send-mail', args: {} },
    ],
  );
  expect(await value('(await tools.look({ n: 2 })).args.n + 1')).toBe(3);
  expect(await value('const n: number = 4; return n')).toBe(4);
  expect(await value('return')).toBeNull();
  expect(await value('return (1234.5).toLocaleString("de")')).toBe('1.234,5');
});

test('calls run side by side, at most five at once, and the results come in any order', async () => {
  let [running, most] = [0, 0];
  const call: Call = async (_tool, args) => {
    most = Math.max(most, ++running);
    await sleep(20 - (args as { n: number }).n);
    running--;
    return args;
  };
  const code =
    'return Promise.all(Array.from({ length: 12 }, (_, n) => tools.look({ n }))).then((all) => all.map(({ n }) => n))';
  expect(await value(code, call)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(most).toBe(5);
});

test('the failure of a tool is an error that code can catch', async () => {
  const call: Call = async () => {
    throw new StepError('The tool look failed: no data');
  };
  expect(
    await value(
      'try { await tools.look() } catch (error) { return [error instanceof Error, error.message] }',
      call,
    ),
  ).toEqual([true, 'The tool look failed: no data']);
  expect(await run('await tools.look()', call)).toMatchObject({ error: expect.stringContaining('no data') });
});

test('any other failure of a call ends the code and is thrown', async () => {
  const call: Call = async () => {
    throw new TypeError('a bug');
  };
  const code = 'try { await tools.look() } catch {} for (;;) await tools.look()';
  await expect(run(code, call)).rejects.toThrow(new TypeError('a bug'));
  expect(await value('return 1')).toBe(1);
});

test('what the code writes to the console is part of the result, up to a limit', async () => {
  const outcome = await run(
    'console.log("a", { b: 1 }, [2], new Error("no")); console.error(undefined); return 1',
  );
  expect(outcome).toEqual({ json: '1', console: ['a {"b":1} [2] Error: no', 'undefined'] });
  const flood = await run('for (let n = 0; n < 1e5; n++) console.log("x".repeat(50)); return 1');
  expect(flood.console.join('').length).toBeLessThan(21_000);
  expect(flood.console.at(-1)).toBe('… (more was written)');
  expect((await run('console.log("seen"); throw new Error("then")')).console).toEqual(['seen']);
});

test('code makes no more calls than it may, whether it awaits them or not', async () => {
  const call = vi.fn(echo);
  const outcome = await run('for (let n = 0; ; n++) await tools.look({ n })', call);
  expect(outcome).toMatchObject({ error: expect.stringContaining('The limit of 20 tool calls is reached') });
  expect(call).toHaveBeenCalledTimes(20);
  call.mockClear();
  await run(
    'const all = []; for (let n = 0; n < 5000; n++) all.push(tools.look({ n }).catch(() => 0)); await Promise.all(all)',
    call,
  );
  expect(call).toHaveBeenCalledTimes(20);
});

test('calls that the code does not await are aborted when it ends', async () => {
  let aborted = false;
  const call: Call = async (tool, _args, signal) => {
    if (tool === 'look') return null;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    aborted = true;
    return null;
  };
  expect(await value('tools.slow(); await tools.look(); return 1', call)).toBe(1);
  await eventually(() => expect(aborted).toBe(true));
});

test.each([
  ['too much processor time', 'for (;;);', 'took', 700],
  ['too much time between calls', 'await tools.look(); for (;;);', 'took', 700],
  ['an endless chain of promises', 'const f = () => Promise.resolve().then(f); await f()', 'memory'],
  ['endless awaiting', 'for (;;) await null', 'took', 700],
  ['a promise that nobody settles', 'await new Promise(() => {})', 'never ends'],
  ['too much memory', 'const all = []; for (;;) all.push(new Uint8Array(2 ** 20).fill(1))', 'memory'],
  ['a result that is too large', 'return "x".repeat(300_000)', 'characters'],
  ['arguments that are too large', 'await tools.look("x".repeat(300_000))', 'characters'],
  [
    'arguments that are too deep',
    'let a = 1; for (let n = 0; n < 500; n++) a = [a]; await tools.look(a)',
    'levels',
  ],
  ['no TypeScript', 'return <b>', 'is not TypeScript'],
  ['a tool that it does not have', 'await tools.other()', 'not a function'],
])(
  'ends with %s',
  async (_what, code, words, cpuMs = 10_000) => {
    expect(await run(code, echo, { timeoutMs: 60_000, cpuMs })).toMatchObject({
      error: expect.stringContaining(words),
    });
    expect(await value('return 1')).toBe(1);
  },
  30_000,
);

/** A built-in that QuickJS cannot interrupt: only the end of the thread ends it. */
const uninterruptible = 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)';

test('code that cannot be interrupted ends with its thread, also after a call', async () => {
  const code = `await tools.look(); return ${uninterruptible}`;
  expect(await run(code, echo, { timeoutMs: 60_000, cpuMs: 100 })).toEqual({
    error: 'took too long without a tool call',
    console: [],
  });
  expect(await value('return 1')).toBe(1);
}, 60_000);

test('the time limit counts the tools too', async () => {
  const call: Call = (_tool, _args, signal) => sleep(60_000, null, { signal });
  const began = performance.now();
  expect(await run('await tools.slow()', call, { timeoutMs: 300 })).toEqual({
    error: 'took longer than 300 ms with its tool calls',
    console: [],
  });
  expect(performance.now() - began).toBeLessThan(30_000);
});

test('aborting the run ends the code and its calls', async () => {
  const stop = new AbortController();
  const call: Call = async (_tool, _args, signal) => {
    stop.abort(new Error('stopped'));
    return sleep(60_000, null, { signal });
  };
  await expect(run('await tools.slow()', call, { signal: stop.signal })).rejects.toThrow('stopped');
});

test.each([
  'typeof process',
  'typeof require',
  'typeof globalThis.Worker',
  'typeof fetch',
  'typeof WebAssembly',
  'typeof setTimeout',
  'typeof variables',
])('code has no %s', async (code) => {
  expect(await value(`return ${code}`)).toBe('undefined');
});

test('code reaches nothing of the host through its functions, and nothing survives it', async () => {
  expect(
    await value(
      'return [tools.look.constructor("return typeof process")().constructor.name, Object.isFrozen(tools)]',
    ),
  ).toEqual(['Promise', true]);
  await value(
    'JSON.parse = () => "evil"; Promise.prototype.then = () => 1; Array.prototype.join = () => "evil"; return 1',
  );
  expect(await value('return (await tools.look({ a: 1 })).args.a')).toBe(1);
  const tampered = await run(
    'JSON.stringify = () => "evil"; JSON.parse = () => "evil"; Array.prototype.map = () => "evil"; console.log({ a: 1 }); return (await tools.look({ a: 1 })).args',
  );
  expect(tampered).toEqual({ json: '{"a":1}', console: ['{"a":1}'] });
});

test('code that waits for its tools leaves the threads to others, and to the tools themselves', async () => {
  const call: Call = () => evaluateScript(tenantSandbox('coder'), 'return 6 * 7', {});
  const same = Array.from({ length: 6 }, () => run('return tools.slow()', call, { timeoutMs: 30_000 }));
  expect((await Promise.all(same)).map((each) => 'json' in each && each.json)).toEqual(Array(6).fill('42'));
}, 60_000);

test('a tenant whose code waits does not delay the code of others', async () => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const waiting: Call = (_tool, _args, signal) => sleep(60_000, null, { signal });
  const given = { toolNames: ['slow'], callsMax: 1, timeoutMs: 60_000, signal: stop.signal };
  const hogs = Array.from({ length: 4 }, () =>
    evaluateWithTools(tenantSandbox('hog'), { ...given, code: 'await tools.slow()', call: waiting }).catch(
      () => 'hog',
    ),
  );
  const guest = evaluateWithTools(tenantSandbox('guest'), { ...given, code: 'return "guest"', call: echo });
  expect(await Promise.race([guest, ...hogs])).toMatchObject({ json: '"guest"' });
  stop.abort();
  await Promise.all(hogs);
}, 60_000);
