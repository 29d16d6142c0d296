import { StepError } from '../../core/errors/step-error.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { isDeeperThan, nestingLevelsMax } from '../../core/json/nesting.ts';
import { makeFairQueue } from '../sandbox/fair-queue.ts';
import { type Sandbox, SandboxError } from '../sandbox/sandbox.ts';
import type { ProgramCall, ProgramCallResult } from './program-calls.ts';
import type { ToolEvaluation } from './quickjs-tools.ts';
import { toScript } from './script-values.ts';
import { evaluateWithToolsTask } from './tasks.ts';

export interface CodeWithTools {
  /** TypeScript or JavaScript: the body of an async function that may call `tools.<name>(args)`. */
  code: string;
  toolNames: readonly string[];
  callsMax: number;
  /** Everything together, the wait for a slot and for the tools included. */
  timeoutMs: number;
  /** Processor time of the code itself. Default: half of the time limit, and at most ten seconds. */
  cpuMs?: number | undefined;
  signal: AbortSignal;
  /** Runs a call. A StepError rejects the promise that the code awaits; any other error ends the code. */
  call: (tool: string, args: unknown, signal: AbortSignal) => Promise<unknown>;
}

const cpuMsMax = 10_000;
const callsAtOnce = 5;
/** What the code receives of an output. */
const outputCharactersMax = 1_000_000;

/** Runs code that calls tools. An error of the code is part of the result. @throws errors of `call` but StepErrors */
export async function evaluateWithTools(
  sandbox: Sandbox,
  {
    code,
    toolNames,
    callsMax,
    timeoutMs,
    // So that code that only computes ends by itself, with its console.
    cpuMs = Math.min(timeoutMs / 2, cpuMsMax),
    signal,
    call,
  }: CodeWithTools,
): Promise<ToolEvaluation> {
  const calls = makeFairQueue({ places: callsAtOnce, placesPerTenant: callsAtOnce });
  const timeout = AbortSignal.timeout(timeoutMs);

  async function answer(request: unknown, ended: AbortSignal): Promise<ProgramCallResult> {
    const { tool, args } = request as ProgramCall;
    const release = await calls.take('', ended);
    try {
      const parsedArgs: unknown = args === undefined ? undefined : parseExact(args);
      if (isDeeperThan(nestingLevelsMax, parsedArgs)) {
        return { error: `The arguments are nested more than ${nestingLevelsMax} levels deep` };
      }
      const output = await call(tool, parsedArgs, ended);
      const json = toScript(output ?? null);
      if (json.length <= outputCharactersMax) return { json };
      return { error: `The output of ${tool} has more than ${outputCharactersMax} characters; ask for less` };
    } catch (error) {
      if (error instanceof StepError) return { error: error.message };
      throw error;
    } finally {
      release();
    }
  }

  const input = { code, toolNames, callsMax, timeoutMs: cpuMs };
  const limits = { timeoutMs: cpuMs, signal: AbortSignal.any([signal, timeout]), onAsk: answer };
  try {
    return await sandbox(evaluateWithToolsTask, input, limits);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted)
      return { error: `took longer than ${timeoutMs} ms with its tool calls`, console: [] };
    if (error instanceof SandboxError) return { error: limitWords[error.reason], console: [] };
    throw error;
  }
}

const limitWords = {
  time: 'took too long without a tool call',
  memory: 'needs too much memory',
  broken: 'nests too deeply for the sandbox',
};
