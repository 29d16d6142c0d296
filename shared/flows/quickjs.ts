import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import {
  type EmscriptenModuleLoaderOptions,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { interruptibly, isInterruption } from './watchdog.ts';

const memoryLimitBytes = 64 * 1024 * 1024;
const maxStackSizeBytes = 256 * 1024;
const outputCharactersMax = 4_000_000;
/** QuickJS asks its interrupt handler only between its own instructions, and a built-in can loop for hours in one. */
const graceMs = 200;

/** What came of a program: its value as JSON (nothing for `undefined`), or why there is none. */
export type Evaluation = { json: string | undefined } | { error: string };

/** QuickJS, without what it prints when it breaks. */
const quietVariant = newVariant(variant, {
  emscriptenModule: { print: () => {}, printErr: () => {} } as EmscriptenModuleLoaderOptions,
});

let quickjs: Promise<QuickJSWASMModule> | undefined;

function module(): Promise<QuickJSWASMModule> {
  quickjs ??= newQuickJSWASMModuleFromVariant(quietVariant);
  return quickjs;
}

interface Waiting {
  program: string;
  variables: string;
  timeoutMs: number;
  resolve: (evaluation: Evaluation) => void;
}

let waiting: Waiting[] = [];

/**
 * Evaluates a program in a runtime of its own, which is thrown away after: no memory, limit or change to a
 * built-in outlives it. The program's promise is awaited.
 */
export const evaluate = (program: string, variables: string, timeoutMs: number) =>
  new Promise<Evaluation>((resolve) => {
    if (waiting.push({ program, variables, timeoutMs, resolve }) === 1) setImmediate(evaluateWaiting);
  });

/**
 * What came within one turn of the event loop is evaluated under one watchdog, which costs as much as a short
 * evaluation. When one of several breaks it, each is evaluated anew by itself: they touch nothing, so that is safe.
 */
async function evaluateWaiting(): Promise<void> {
  const all = waiting;
  waiting = [];
  const evaluations = all.length > 1 ? await evaluateTogether(all) : undefined;
  for (const [index, each] of all.entries())
    each.resolve(evaluations?.[index] ?? (await evaluateAlone(each)));
}

async function evaluateTogether(all: readonly Waiting[]): Promise<Evaluation[] | undefined> {
  const loaded = await module();
  const longest = Math.max(...all.map(({ timeoutMs }) => timeoutMs));
  try {
    return interruptibly(() => all.map((each) => evaluateIn(loaded, each)), longest + graceMs);
  } catch {
    quickjs = undefined;
    return undefined;
  }
}

async function evaluateAlone(waiting: Waiting): Promise<Evaluation> {
  const loaded = await module();
  try {
    return interruptibly(() => evaluateIn(loaded, waiting), waiting.timeoutMs + graceMs);
  } catch (error) {
    // Whatever broke out has left the module half-way through something: the next evaluation gets a new one.
    quickjs = undefined;
    const { message } = error as Error;
    if (isInterruption(error)) return tookTooLong(waiting.timeoutMs);
    if (error instanceof RangeError) return { error: 'nests too deeply for the sandbox' };
    return { error: message === outOfMemory ? message : `broke the sandbox: ${message}` };
  }
}

const tookTooLong = (timeoutMs: number) => ({ error: `took longer than ${timeoutMs} ms` });
const outOfMemory = `needs more than ${memoryLimitBytes / 1024 / 1024} MB of memory`;

function evaluateIn(loaded: QuickJSWASMModule, { program, variables, timeoutMs }: Waiting): Evaluation {
  const deadline = performance.now() + timeoutMs;
  let late = false;
  const runtime = loaded.newRuntime({
    interruptHandler: () => {
      late ||= performance.now() > deadline;
      return late;
    },
  });
  runtime.setMemoryLimit(memoryLimitBytes);
  runtime.setMaxStackSize(maxStackSizeBytes);
  const evaluation = evaluateWith(runtime, program, variables);
  // Not disposed when something was thrown: a runtime that ran out of memory cannot be freed.
  runtime.dispose();
  return late ? tookTooLong(timeoutMs) : evaluation;
}

/** Makes the variables known to the program, but never in place of a built-in; gives what turns the result into JSON. */
const prepare = `(json) => {
  const { stringify } = JSON;
  const variables = JSON.parse(json);
  globalThis.input = variables;
  globalThis.variables = variables;
  for (const name of Object.keys(variables)) {
    if (name === 'input' || !(name in globalThis)) globalThis[name] = variables[name];
  }
  return (value) => stringify(value);
}`;

function evaluateWith(runtime: QuickJSRuntime, program: string, variables: string): Evaluation {
  using context = runtime.newContext();
  using preparing = context.unwrapResult(context.evalCode(prepare));
  using json = context.newString(variables);
  using prepared = context.callFunction(preparing, context.undefined, json);
  if (prepared.error) return failure(context, prepared.error);
  using started = context.evalCode(program, 'script');
  if (started.error) return failure(context, started.error);
  using jobs = runtime.executePendingJobs();
  if (jobs.error) return failure(context, jobs.error);
  const state = context.getPromiseState(started.value);
  if (state.type === 'pending') return { error: 'never ends: it awaits something that cannot happen' };
  using settled =
    state.type === 'rejected' ? state.error : state.notAPromise ? state.value.dup() : state.value;
  if (state.type === 'rejected') return failure(context, settled);
  using text = context.callFunction(prepared.value, context.undefined, settled);
  return text.error ? failure(context, text.error) : read(context, text.value);
}

function read(context: QuickJSContext, text: QuickJSHandle): Evaluation {
  if (context.typeof(text) !== 'string') return { json: undefined };
  using length = context.getProp(text, 'length');
  if (context.getNumber(length) <= outputCharactersMax) return { json: context.getString(text) };
  return { error: `returned more than ${outputCharactersMax} characters of JSON` };
}

/** An error in words: its message and the line in the script where it arose. */
function failure(context: QuickJSContext, error: QuickJSHandle): Evaluation {
  const thrown: unknown = context.dump(error);
  const { name, message, stack } = (Object(thrown) === thrown ? thrown : {}) as Record<string, unknown>;
  if (name === 'InternalError' && message === 'out of memory') throw new Error(outOfMemory);
  // A script can throw anything, and give an error any members.
  const isError = typeof message === 'string' && message !== '';
  const words = isError ? `${typeof name === 'string' ? name : 'Error'}: ${message}` : inWords(thrown);
  const line = typeof stack === 'string' ? /script:(\d+)/.exec(stack)?.[1] : undefined;
  return { error: `failed: ${words.slice(0, 500)}${line ? ` (line ${line})` : ''}` };
}

const inWords = (thrown: unknown): string =>
  (typeof thrown === 'bigint' ? undefined : JSON.stringify(thrown)) ?? String(thrown);
