import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { type CodeKind, toProgram } from './programs.ts';
import { openRuntime, resultText, runInEngine, scriptOutputMax } from './quickjs-engine.ts';
import { scriptFailure } from './quickjs-failure.ts';
import { defineLocale } from './quickjs-locale.ts';
import { exactJsonOfScripts, mayUseBigints } from './script-values.ts';

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

/** In a runtime of its own, so that no memory, limit or changed built-in outlives it. Awaits the promise. */
export async function evaluate(program: Program): Promise<Evaluation> {
  let code: string;
  try {
    code = toProgram(program.kind, program.code);
  } catch (error) {
    return { error: `is not TypeScript: ${(error as Error).message}` };
  }
  return runInEngine((module) => evaluateIn(module, { ...program, code }));
}

function evaluateIn(module: QuickJSWASMModule, program: Program): Evaluation {
  const { timeoutMs } = program;
  let missed = false;
  const { runtime, isLate } = openRuntime(module, timeoutMs, () => missed);
  const miss = () => {
    missed = true;
    throw new Error('This variable is withheld');
  };
  const evaluation = evaluateWith(runtime, program, miss);
  // Not reached if something was thrown: a runtime that ran out of memory cannot be freed.
  runtime.dispose();
  if (missed) return { missed };
  return isLate() ? { error: `took longer than ${timeoutMs} ms` } : evaluation;
}

/** Defines the variables as globals, except over built-ins. Returns the function that serialises the result. */
const toPreparation = (json: string) => `(json, withheldJson, miss) => {
  const { parse, stringify } = ${json};
  const variables = parse(json);
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
const prepare = toPreparation('JSON');
const prepareExact = toPreparation(exactJsonOfScripts);

function evaluateWith(
  runtime: QuickJSRuntime,
  { code, variables, withheld }: Program,
  miss: () => never,
): Evaluation {
  using context = runtime.newContext();
  defineLocale(context, code);
  const preparation = mayUseBigints(code, variables) ? prepareExact : prepare;
  using preparing = context.unwrapResult(context.evalCode(preparation));
  using json = context.newString(variables);
  using names = context.newString(JSON.stringify(withheld));
  using missing = context.newFunction('miss', miss);
  using prepared = context.callFunction(preparing, context.undefined, json, names, missing);
  if (prepared.error) return scriptFailure(context, prepared.error);
  using started = context.evalCode(code, 'script');
  if (started.error) return scriptFailure(context, started.error);
  using jobs = runtime.executePendingJobs();
  if (jobs.error) return scriptFailure(context, jobs.error);
  const state = context.getPromiseState(started.value);
  if (state.type === 'pending') return { error: 'never ends: it awaits something that cannot happen' };
  using settled =
    state.type === 'rejected' ? state.error : state.notAPromise ? state.value.dup() : state.value;
  if (state.type === 'rejected') return scriptFailure(context, settled);
  using text = context.callFunction(prepared.value, context.undefined, settled);
  return text.error ? scriptFailure(context, text.error) : read(context, text.value);
}

function read(context: QuickJSContext, result: QuickJSHandle): Evaluation {
  const read = resultText(context, result, scriptOutputMax);
  return 'tooLong' in read
    ? { error: `returned more than ${scriptOutputMax} characters of JSON` }
    : { json: read.text };
}
