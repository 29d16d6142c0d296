import { StepError } from '../../core/step-error.ts';
import type { Variables } from '../../core/variables.ts';
import { type Sandbox, SandboxError } from '../sandbox/sandbox.ts';
import type { CodeKind } from './programs.ts';
import { evaluateProgram } from './tasks.ts';

/** The languages that scripts may be written in. */
export const scriptLanguages = ['javascript', 'typescript'] as const;
export type ScriptLanguage = (typeof scriptLanguages)[number];
export const kindOfScript = (language: ScriptLanguage = 'javascript'): CodeKind =>
  language === 'typescript' ? 'typescript' : 'script';

const defaultTimeoutMs = { script: 5_000, expression: 1_000 };

interface Options {
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Runs a script in the sandbox and gives what it returns. It sees the variables by their names and together as
 * `variables` (and `input`), and may use `await`. A script that is one expression needs no `return`. @throws StepError
 */
export const evaluateScript = (
  sandbox: Sandbox,
  code: string,
  variables: Readonly<Variables>,
  {
    language,
    timeoutMs = defaultTimeoutMs.script,
    signal,
  }: Options & { language?: ScriptLanguage | undefined } = {},
): Promise<unknown> =>
  evaluate(sandbox, 'The script', { kind: kindOfScript(language), code, timeoutMs }, variables, signal);

/** The value of a JavaScript expression over the variables. @throws StepError */
export const evaluateExpression = (
  sandbox: Sandbox,
  code: string,
  variables: Readonly<Variables>,
  { timeoutMs = defaultTimeoutMs.expression, signal }: Options = {},
): Promise<unknown> =>
  evaluate(sandbox, 'The expression', { kind: 'expression', code, timeoutMs }, variables, signal);

async function evaluate(
  sandbox: Sandbox,
  what: string,
  program: { kind: CodeKind; code: string; timeoutMs: number },
  variables: Readonly<Variables>,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { timeoutMs } = program;
  const input = { ...program, variables: JSON.stringify(variables) };
  const result = await sandbox(evaluateProgram, input, { timeoutMs, signal }).catch((error) => {
    if (error instanceof SandboxError) return { error: limitInWords(error, timeoutMs) };
    throw error;
  });
  if ('error' in result) throw new StepError(`${what} ${result.error}`);
  return result.json === undefined ? null : (JSON.parse(result.json) as unknown);
}

const limitInWords = ({ reason }: SandboxError, timeoutMs: number) =>
  ({
    time: `took longer than ${timeoutMs} ms`,
    memory: 'needs too much memory',
    broken: 'nests too deeply for the sandbox',
  })[reason];
