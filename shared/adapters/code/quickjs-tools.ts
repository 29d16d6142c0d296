import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten-core';
import type { AskCaller } from '../sandbox/sandbox.ts';
import { openCalls } from './program-calls.ts';
import { toProgram } from './programs.ts';
import { openRuntime, resultText, runInEngine } from './quickjs-engine.ts';
import { scriptFailure } from './quickjs-failure.ts';
import { defineLocale } from './quickjs-locale.ts';
import { exactJsonOfScripts } from './script-values.ts';
import { resultCharactersMax } from './tool-program-limits.ts';

export interface ToolProgram {
  /** TypeScript or JavaScript: the body of an async function. */
  code: string;
  /** The members of the global `tools`. */
  toolNames: readonly string[];
  callsMax: number;
  /** CPU time. */
  timeoutMs: number;
}

export type ToolEvaluation = ({ json: string | undefined } | { error: string }) & {
  /** What the code wrote to the console, line by line. */
  console: string[];
};

/** Defines `tools` and `console`. Returns the function that serialises the result. Uses no built-in that code can change. */
const prepare = `(namesJson, call, print) => {
  const { parse, stringify } = ${exactJsonOfScripts};
  const join = Function.prototype.call.bind(Array.prototype.join);
  const map = Function.prototype.call.bind(Array.prototype.map);
  const tools = {};
  for (const name of parse(namesJson)) {
    tools[name] = async (args) => parse(await call(name, stringify(args === undefined ? {} : args)));
  }
  globalThis.tools = Object.freeze(tools);
  const inWords = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return value.name + ': ' + value.message;
    try { return stringify(value) || String(value); } catch { return '[unserialisable]'; }
  };
  const write = (...values) => print(join(map(values, inWords), ' '));
  globalThis.console = { log: write, info: write, warn: write, error: write, debug: write };
  return (value) => stringify(value);
}`;

/** Evaluates code that calls tools. Each call is asked of the serving thread. */
export async function evaluateToolProgram(program: ToolProgram, ask: AskCaller): Promise<ToolEvaluation> {
  const written = openProgramConsole();
  let code: string;
  try {
    code = toProgram('typescript', program.code);
  } catch (error) {
    return { error: `is not TypeScript: ${(error as Error).message}`, console: [] };
  }
  const { timeoutMs } = program;
  const evaluation = await runInEngine(async (module) => {
    const { runtime, isLate } = openRuntime(module, timeoutMs);
    const outcome = await evaluateIn(runtime, { ...program, code }, { ask, print: written.print });
    // Not reached if something was thrown: a runtime that ran out of memory cannot be freed.
    runtime.dispose();
    return isLate() ? { error: `took longer than ${timeoutMs} ms of processor time` } : outcome;
  });
  return { ...evaluation, console: written.lines() };
}

type Outcome = { json: string | undefined } | { error: string };

async function evaluateIn(
  runtime: QuickJSRuntime,
  { code, toolNames, callsMax }: ToolProgram,
  { ask, print }: { ask: AskCaller; print: (line: string) => void },
): Promise<Outcome> {
  using context = runtime.newContext();
  const calls = openCalls(context, callsMax, ask);
  try {
    defineLocale(context, code);
    using preparing = context.unwrapResult(context.evalCode(prepare));
    using names = context.newString(JSON.stringify(toolNames));
    using call = context.newFunction('call', calls.start);
    using printing = context.newFunction('print', (text) => {
      const read = resultText(context, text, consoleCharactersMax);
      print('tooLong' in read ? '[a line that is too long]' : (read.text ?? ''));
    });
    using prepared = context.callFunction(preparing, context.undefined, names, call, printing);
    if (prepared.error) return scriptFailure(context, prepared.error);
    using started = context.evalCode(code, 'script');
    if (started.error) return scriptFailure(context, started.error);
    for (;;) {
      using jobs = runtime.executePendingJobs();
      if (jobs.error) return scriptFailure(context, jobs.error);
      const settled = readSettledValue(context, started.value, prepared.value);
      if (settled) return settled;
      if (!(await calls.next())) return { error: 'never ends: it awaits something that cannot happen' };
    }
  } finally {
    calls.dispose();
  }
}

/** The result as JSON, or its error; undefined while the program waits. */
function readSettledValue(
  context: QuickJSContext,
  program: QuickJSHandle,
  serialise: QuickJSHandle,
): Outcome | undefined {
  const state = context.getPromiseState(program);
  if (state.type === 'pending') return undefined;
  using value = state.type === 'rejected' ? state.error : state.notAPromise ? state.value.dup() : state.value;
  if (state.type === 'rejected') return scriptFailure(context, value);
  using json = context.callFunction(serialise, context.undefined, value);
  if (json.error) return scriptFailure(context, json.error);
  const read = resultText(context, json.value, resultCharactersMax);
  if (!('tooLong' in read)) return { json: read.text };
  return { error: `returned more than ${resultCharactersMax} characters of JSON; return less` };
}

const consoleCharactersMax = 20_000;

function openProgramConsole() {
  const lines: string[] = [];
  let left = consoleCharactersMax;
  return {
    print(line: string): void {
      if (left <= 0) return;
      left -= line.length + 1;
      lines.push(left > 0 ? line : '… (more was written)');
    },
    lines: () => lines,
  };
}
