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
import { type CodeKind, programOf } from './programs.ts';
import { failure, OutOfMemory, threwNull } from './quickjs-failure.ts';

const memoryLimitBytes = 64 * 1024 * 1024;
const maxStackSizeBytes = 256 * 1024;
const outputCharactersMax = 4_000_000;

/** WebAssembly memory has pages of 64 KB. The engine itself needs 16 MB. */
const pageBytes = 64 * 1024;
const ownBytes = 16 * 1024 * 1024;
/** The real memory limit: QuickJS does not count all of its memory. */
const pages = { initial: ownBytes / pageBytes, maximum: (ownBytes + memoryLimitBytes) / pageBytes };
/** WebAssembly memory never shrinks, so an engine that grew beyond this is discarded. */
const keptBytesMax = 2 * ownBytes;

export interface Program {
  kind: CodeKind;
  code: string;
  /** JSON of an object. */
  variables: string;
  /** The paths of the withheld values. */
  withheld: readonly (readonly string[])[];
  /** CPU time. */
  timeoutMs: number;
}

/** The program's result as JSON (undefined for `undefined`), its error, or that it read a withheld value. */
export type Evaluation = { json: string | undefined } | { error: string } | { missed: true };

interface Engine {
  module: QuickJSWASMModule;
  memory: WebAssembly.Memory;
}
let engine: Engine | undefined;

/** Creates QuickJS without its debug output. */
async function newEngine(): Promise<Engine> {
  const memory = new WebAssembly.Memory(pages);
  const emscriptenModule = { print: () => {}, printErr: () => {} } as EmscriptenModuleLoaderOptions;
  const quiet = newVariant(variant, { emscriptenModule, wasmMemory: memory });
  return { module: await newQuickJSWASMModuleFromVariant(quiet), memory };
}

/**
 * Evaluates a program in a runtime of its own, so that no memory, limit or changed built-in outlives it. Awaits the
 * program's promise.
 */
export async function evaluate(program: Program): Promise<Evaluation> {
  let code: string;
  try {
    code = programOf(program.kind, program.code);
  } catch (error) {
    return { error: `is not TypeScript: ${(error as Error).message}` };
  }
  engine ??= await newEngine();
  const { module, memory } = engine;
  try {
    const evaluation = evaluateIn(module, { ...program, code });
    if (memory.buffer.byteLength > keptBytesMax) engine = undefined;
    // QuickJS throws null when it has no memory for an error.
    return 'error' in evaluation && evaluation.error === threwNull && isFull(memory)
      ? { error: outOfMemory }
      : evaluation;
  } catch (error) {
    // The engine is in an undefined state, so the next evaluation creates a new one.
    engine = undefined;
    if (error instanceof RangeError) return { error: 'nests too deeply for the sandbox' };
    return { error: error instanceof OutOfMemory || isFull(memory) ? outOfMemory : broken };
  }
}

const isFull = ({ buffer }: WebAssembly.Memory) => buffer.byteLength >= memoryLimitBytes;
const outOfMemory = `needs more than ${memoryLimitBytes / 1024 / 1024} MB of memory`;
const broken = 'broke the sandbox: it may need too much memory, or nest too deeply';

/** The CPU time of this thread: load on the machine does not count against a script's limit. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function evaluateIn(module: QuickJSWASMModule, program: Program): Evaluation {
  const { timeoutMs } = program;
  const deadline = cpuMs() + timeoutMs;
  let late = false;
  let missed = false;
  const runtime = module.newRuntime({
    interruptHandler: () => {
      late ||= cpuMs() > deadline;
      return late || missed;
    },
  });
  const miss = () => {
    missed = true;
    throw new Error('This variable is withheld');
  };
  runtime.setMemoryLimit(memoryLimitBytes);
  runtime.setMaxStackSize(maxStackSizeBytes);
  const evaluation = evaluateWith(runtime, program, miss);
  // Not reached if something was thrown: a runtime that ran out of memory cannot be freed.
  runtime.dispose();
  if (missed) return { missed };
  return late ? { error: `took longer than ${timeoutMs} ms` } : evaluation;
}

/** Defines the variables as globals, except over built-ins. Returns the function that serialises the result. */
const prepare = `(json, withheldJson, miss) => {
  const { stringify } = JSON;
  const variables = JSON.parse(json);
  globalThis.input = variables;
  globalThis.variables = variables;
  const withheld = { get: () => miss(), set: () => miss(), enumerable: true, configurable: true };
  for (const path of JSON.parse(withheldJson)) {
    const name = path.pop();
    Object.defineProperty(path.reduce((holder, step) => holder[step], variables), name, withheld);
  }
  for (const name of Object.keys(variables)) {
    if (name !== 'input' && name in globalThis) continue;
    Object.defineProperty(globalThis, name, Object.getOwnPropertyDescriptor(variables, name));
  }
  return (value) => stringify(value);
}`;

function evaluateWith(
  runtime: QuickJSRuntime,
  { code, variables, withheld }: Program,
  miss: () => never,
): Evaluation {
  using context = runtime.newContext();
  using preparing = context.unwrapResult(context.evalCode(prepare));
  using json = context.newString(variables);
  using names = context.newString(JSON.stringify(withheld));
  using missing = context.newFunction('miss', miss);
  using prepared = context.callFunction(preparing, context.undefined, json, names, missing);
  if (prepared.error) return failure(context, prepared.error);
  using started = context.evalCode(code, 'script');
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
