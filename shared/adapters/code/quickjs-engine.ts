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
import { OutOfMemory, threwNull } from './quickjs-failure.ts';

const memoryLimitBytes = 64 * 1024 * 1024;
const maxStackSizeBytes = 256 * 1024;
export const scriptOutputMax = 4_000_000;

/** WebAssembly memory has pages of 64 KB. The engine itself needs 16 MB. */
const pageBytes = 64 * 1024;
const ownBytes = 16 * 1024 * 1024;
/** The real memory limit: QuickJS does not count all of its memory. */
const pages = { initial: ownBytes / pageBytes, maximum: (ownBytes + memoryLimitBytes) / pageBytes };
/** WebAssembly memory never shrinks, so an engine that grew beyond this is discarded. */
const keptBytesMax = 2 * ownBytes;

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

/** One evaluation at a time. A failed one has an error in words. @throws nothing that code could cause */
export async function runInEngine<Result extends object>(
  work: (module: QuickJSWASMModule) => Promise<Result> | Result,
): Promise<Result | { error: string }> {
  engine ??= await newEngine();
  const { module, memory } = engine;
  try {
    const evaluation = await work(module);
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

/** A runtime with the limits, and whether it ran out of time. @param isStopped Stops the code if it returns true. */
export function openRuntime(
  module: QuickJSWASMModule,
  timeoutMs: number,
  isStopped: () => boolean = () => false,
): { runtime: QuickJSRuntime; isLate: () => boolean } {
  const deadline = cpuMs() + timeoutMs;
  let late = false;
  const runtime = module.newRuntime({
    interruptHandler: () => {
      late ||= cpuMs() > deadline;
      return late || isStopped();
    },
  });
  runtime.setMemoryLimit(memoryLimitBytes);
  runtime.setMaxStackSize(maxStackSizeBytes);
  return { runtime, isLate: () => late };
}

/** A text of the code; undefined for other values. `tooLong` if it has more characters. */
export function resultText(
  context: QuickJSContext,
  value: QuickJSHandle,
  charactersMax: number,
): { text: string | undefined } | { tooLong: true } {
  if (context.typeof(value) !== 'string') return { text: undefined };
  using length = context.getProp(value, 'length');
  return context.getNumber(length) <= charactersMax ? { text: context.getString(value) } : { tooLong: true };
}
