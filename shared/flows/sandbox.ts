import { Script as V8Script } from 'node:vm';
import * as z from 'zod';
import { memoise } from '../memoise.ts';
import { StepError, type Variables } from './step.ts';
import { stripTypes } from './typescript.ts';

/** The languages that scripts may be written in. */
export const scriptLanguages = ['javascript', 'typescript'] as const;
export type ScriptLanguage = (typeof scriptLanguages)[number];

/** The longest script, in characters. */
export const scriptCharactersMax = 100_000;
const defaultTimeoutMs = { script: 5_000, expression: 1_000 };

const asBody = (code: string) => `(async()=>{${code}\n})()`;
const asExpression = (code: string) => `(async()=>(${code}\n))()`;

/**
 * Runs a script in the sandbox and gives what it returns. It sees the variables by their names and together as
 * `variables` (and `input`), and may use `await`. A script that is one expression needs no `return`. @throws StepError
 */
export async function evaluateScript(
  code: string,
  variables: Readonly<Variables>,
  {
    timeoutMs = defaultTimeoutMs.script,
    language = 'javascript',
  }: { timeoutMs?: number | undefined; language?: ScriptLanguage | undefined } = {},
): Promise<unknown> {
  return run('The script', programOf(code, language), variables, timeoutMs);
}

/** The value of a JavaScript expression over the variables. @throws StepError */
export const evaluateExpression = (
  code: string,
  variables: Readonly<Variables>,
  { timeoutMs = defaultTimeoutMs.expression }: { timeoutMs?: number | undefined } = {},
): Promise<unknown> => run('The expression', asExpression(code), variables, timeoutMs);

async function run(what: string, program: string, variables: Readonly<Variables>, timeoutMs: number) {
  const { evaluate } = await import('./quickjs.ts');
  const result = await evaluate(program, JSON.stringify(variables), timeoutMs);
  if ('error' in result) throw new StepError(`${what} ${result.error}`);
  return result.json === undefined ? null : (JSON.parse(result.json) as unknown);
}

/** A script as the sandbox is given it. @throws StepError where it is not TypeScript but should be. */
export const programOf = (code: string, language: ScriptLanguage): string =>
  language === 'typescript' ? typescriptProgram(code) : scriptProgram(code);
/** The same of an expression. */
export const programOfExpression = asExpression;

const scriptProgram = memoise((code) => (expressionProblem(code) ? asBody(code) : asExpression(code)));

const typescriptProgram = memoise((code) => {
  try {
    return scriptProgram(withoutTypes(code));
  } catch (error) {
    throw new StepError(`The script is not TypeScript: ${(error as Error).message}`);
  }
});

/** Types become blanks, so that lines and columns stay. The code is wrapped for `return` to be allowed in it. */
function withoutTypes(code: string): string {
  const head = 'async()=>{';
  return stripTypes(`${head}${code}\n}`).slice(head.length, -2);
}

/** What keeps a text from being a script, with its line, or nothing. Compiles only. */
export function scriptProblem(code: string, language: ScriptLanguage = 'javascript'): string | undefined {
  if (language === 'javascript') return expressionProblem(code) && syntaxProblem(asBody(code));
  try {
    return scriptProblem(withoutTypes(code));
  } catch (error) {
    return `Not TypeScript whose types can be left out: ${(error as Error).message}`;
  }
}

/** What keeps a text from being an expression, or nothing. Compiles only. */
export const expressionProblem = (code: string) => syntaxProblem(asExpression(code));

function syntaxProblem(program: string): string | undefined {
  try {
    new V8Script(program, { filename: 'script' });
    return undefined;
  } catch (error) {
    const { message, stack } = error as Error;
    if (error instanceof RangeError) return 'It is nested too deeply';
    const line = /^script:(\d+)/.exec(stack ?? '')?.[1];
    return line ? `${message} (line ${line})` : message;
  }
}

/** A script. Whether it parses is up to its language. */
export const Script = z.string().min(1).max(scriptCharactersMax);

/** A JavaScript expression over the variables. It has to parse when it is saved. */
export const Expression = z
  .string()
  .max(scriptCharactersMax)
  .superRefine((code, context) => {
    const message = code.trim() === '' ? 'Expected an expression' : expressionProblem(code);
    if (message) context.addIssue({ code: 'custom', params: { code: 'INVALID_SCRIPT' }, message });
  });
