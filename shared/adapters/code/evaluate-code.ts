import { StepError } from '../../core/errors/step-error.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { answerValuesMax } from '../../core/json/json.ts';
import { countCharacters } from '../../core/json/json-texts.ts';
import { answerMembersMax, textHasTooManyValues } from '../../core/json/value-count.ts';
import { createNameTest, type Variables } from '../../core/variables.ts';
import { type Sandbox, SandboxError } from '../sandbox/sandbox.ts';
import type { ScriptLanguage } from './languages.ts';
import type { CodeKind } from './programs.ts';
import type { Program } from './quickjs.ts';
import { toScript } from './script-values.ts';
import { evaluateProgramTask } from './tasks.ts';

const kindOfScript = (language: ScriptLanguage = 'javascript'): CodeKind =>
  language === 'typescript' ? 'typescript' : 'script';

const defaultTimeoutMs = { script: 5_000, expression: 1_000 };

interface Options {
  timeoutMs?: number | undefined;
  /** The port by which an error is masked before it is cut (D237). */
  shown?: ((text: string) => string) | undefined;
  signal?: AbortSignal | undefined;
}

/** It reads the variables by name, or all as `variables` or `input`, and may use `await`. @throws StepError */
export const evaluateScript = (
  sandbox: Sandbox,
  code: string,
  variables: Readonly<Variables>,
  {
    language,
    timeoutMs = defaultTimeoutMs.script,
    signal,
    shown,
  }: Options & { language?: ScriptLanguage | undefined } = {},
): Promise<unknown> =>
  evaluate(sandbox, 'The script', { kind: kindOfScript(language), code, timeoutMs }, variables, {
    signal,
    shown,
  });

/** Evaluates a JavaScript expression over the variables. @throws StepError */
export const evaluateExpression = (
  sandbox: Sandbox,
  code: string,
  variables: Readonly<Variables>,
  { timeoutMs = defaultTimeoutMs.expression, ...options }: Options = {},
): Promise<unknown> =>
  evaluate(sandbox, 'The expression', { kind: 'expression', code, timeoutMs }, variables, options);

async function evaluate(
  sandbox: Sandbox,
  what: string,
  program: { kind: CodeKind; code: string; timeoutMs: number },
  variables: Readonly<Variables>,
  { signal, shown = (text) => text }: Omit<Options, 'timeoutMs'>,
): Promise<unknown> {
  const { timeoutMs } = program;
  const evaluateWith = (handed: Handed) =>
    sandbox(evaluateProgramTask, { ...program, ...handed }, { timeoutMs, signal }).catch((error) => {
      if (error instanceof SandboxError) return { error: describeLimit(error, timeoutMs) };
      throw error;
    });
  const first = await evaluateWith(selectVariables(program.code, variables));
  const result = 'missed' in first ? await evaluateWith(whole(variables)) : first;
  if ('missed' in result) throw new Error('A variable was missing although all were passed');
  if ('error' in result) throw new StepError(`${what} ${shortenError(shown(result.error))}`);
  if (result.json === undefined) return null;
  if (textHasTooManyValues(result.json, answerValuesMax, answerMembersMax))
    throw new StepError(tooManyValues(what));
  return parseExact(result.json);
}

const shownMax = 500;

/** The line is at the end. */
function shortenError(error: string): string {
  if (error.length <= shownMax) return error;
  return `${error.slice(0, shownMax)}…${/ \(line \d+\)$/.exec(error)?.[0] ?? ''}`;
}

const tooManyValues = (what: string) =>
  `${what} returned more than ${answerValuesMax} values, each list and object with what is in it counted, or large objects with more than ${answerMembersMax} members; return less`;

type Handed = Pick<Program, 'variables' | 'withheld'>;

const whole = (variables: Readonly<Variables>): Handed => ({
  variables: toScript(variables),
  withheld: [],
});

/** Ways to reach all variables. A plain member of `variables` names a single one. */
const openDoors =
  /\b(?:variables|input)\b(?!\s*\??\.\s*[A-Za-z_$])|\b(?:globalThis|this|eval|Function|constructor|getOwnPropertyDescriptors?)\b/;

/** Only larger values are withheld, down to this depth. */
const smallCharacters = 200;
const withheldDepthMax = 3;

/** To save copying. Code that reads a withheld value anyway is evaluated again with all values. */
function selectVariables(code: string, variables: Readonly<Variables>): Handed {
  if (openDoors.test(code)) return whole(variables);
  const withheld: string[][] = [];
  const isNamed = createNameTest([code]);
  const slim = (value: object, path: string[]): object =>
    Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (countCharacters(member, smallCharacters) <= smallCharacters) return [name, member];
        const at = [...path, name];
        if (isNamed(name)) {
          const isDeep = at.length >= withheldDepthMax || typeof member === 'string' || Array.isArray(member);
          return [name, isDeep ? member : slim(member, at)];
        }
        withheld.push(at);
        // Keeps the order of the members.
        return [name, null];
      }),
    );
  return { variables: toScript(slim(variables, [])), withheld };
}

const describeLimit = ({ reason }: SandboxError, timeoutMs: number) =>
  ({
    time: `took longer than ${timeoutMs} ms`,
    memory: 'needs too much memory',
    broken: 'nests too deeply for the sandbox',
  })[reason];
