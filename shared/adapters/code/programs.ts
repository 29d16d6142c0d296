import { stripTypeScriptTypes } from 'node:module';
import { Script as V8Script } from 'node:vm';
import { memoise } from '../../core/cache.ts';

/** The kinds of code in a flow. An expression is JavaScript. */
export type CodeKind = 'script' | 'typescript' | 'expression';

const wrapAsBody = (code: string) => `(async()=>{${code}\n})()`;
const wrapAsExpression = (code: string) => `(async()=>(${code}\n))()`;

/** A script that is a single expression needs no `return`. @throws SyntaxError for invalid TypeScript. */
export const toProgram = (kind: CodeKind, code: string): string => programs[kind](code);

const script = memoise((code) =>
  syntaxProblem(wrapAsExpression(code)) ? wrapAsBody(code) : wrapAsExpression(code),
);

const programs: Record<CodeKind, (code: string) => string> = {
  expression: wrapAsExpression,
  script,
  typescript: memoise((code) => script(eraseTypes(code))),
};

/** The syntax error of a text, with its line; undefined if it is valid. Compiles only. */
export const codeProblem = (kind: CodeKind, code: string): string | undefined => problems[kind](code);

const problems: Record<CodeKind, (code: string) => string | undefined> = {
  expression: (code) => syntaxProblem(wrapAsExpression(code)),
  script: (code) => syntaxProblem(wrapAsExpression(code)) && syntaxProblem(wrapAsBody(code)),
  typescript(code) {
    try {
      return problems.script(eraseTypes(code));
    } catch (error) {
      return `Expected TypeScript with erasable types only: ${(error as Error).message}`;
    }
  },
};

/** Wraps the code so that `return` is allowed. */
function eraseTypes(code: string): string {
  const head = 'async()=>{';
  return stripTypes(`${head}${code}\n}`).slice(head.length, -2);
}

/** V8 needs quadratic time for nesting, and memory outside of the thread's limits, and cannot be interrupted (D252). */
const bracketsMax = 500;

/** The deepest nesting of brackets, including those inside strings. */
function openBrackets(code: string): number {
  let open = 0;
  let most = 0;
  for (const [bracket] of code.matchAll(/[()[\]{}]/g)) {
    open = '([{'.includes(bracket) ? open + 1 : Math.max(0, open - 1);
    most = Math.max(most, open);
  }
  return most;
}

function syntaxProblem(program: string): string | undefined {
  if (openBrackets(program) > bracketsMax) return 'The code is nested too deeply';
  try {
    new V8Script(program, { filename: 'script' });
    return undefined;
  } catch (error) {
    const { message, stack } = error as Error;
    if (error instanceof RangeError) return 'The code is nested too deeply';
    const line = /^script:(\d+)/.exec(stack ?? '')?.[1];
    return line ? `${message} (line ${line})` : message;
  }
}

/** Keeps lines and columns. Deep nesting can break Node's WebAssembly: the thread exits. @throws SyntaxError */
function stripTypes(code: string): string {
  try {
    return stripTypeScriptTypes(code);
  } catch (error) {
    const { code: reason, message } = error as NodeJS.ErrnoException;
    if (!reason?.endsWith('_TYPESCRIPT_SYNTAX')) process.exit(1);
    throw new SyntaxError(message);
  }
}
