import { Script as V8Script } from 'node:vm';
import { memoise } from '../../core/cache.ts';
import { stripTypes } from './typescript.ts';

/** What a flow may compute with. An expression is JavaScript. */
export type CodeKind = 'script' | 'typescript' | 'expression';

const asBody = (code: string) => `(async()=>{${code}\n})()`;
const asExpression = (code: string) => `(async()=>(${code}\n))()`;

/** Code as QuickJS is given it: a script that is one expression needs no `return`. @throws SyntaxError for TypeScript that is none. */
export const programOf = (kind: CodeKind, code: string): string => programs[kind](code);

const script = memoise((code) => (syntaxProblem(asExpression(code)) ? asBody(code) : asExpression(code)));

const programs: Record<CodeKind, (code: string) => string> = {
  expression: asExpression,
  script,
  typescript: memoise((code) => script(withoutTypes(code))),
};

/** What keeps a text from being code of a kind, with its line, or nothing. Compiles only. */
export const codeProblem = (kind: CodeKind, code: string): string | undefined => problems[kind](code);

const problems: Record<CodeKind, (code: string) => string | undefined> = {
  expression: (code) => syntaxProblem(asExpression(code)),
  script: (code) => syntaxProblem(asExpression(code)) && syntaxProblem(asBody(code)),
  typescript(code) {
    try {
      return problems.script(withoutTypes(code));
    } catch (error) {
      return `Not TypeScript whose types can be left out: ${(error as Error).message}`;
    }
  },
};

/** The code is wrapped for `return` to be allowed in it. */
function withoutTypes(code: string): string {
  const head = 'async()=>{';
  return stripTypes(`${head}${code}\n}`).slice(head.length, -2);
}

/** V8 takes the square of this in time, and in memory outside the limits of a thread, and cannot be interrupted. */
const bracketsMax = 500;

/** How many brackets are open at once at most; those within texts are counted too. */
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
  if (openBrackets(program) > bracketsMax) return 'It is nested too deeply';
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
