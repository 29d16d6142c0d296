import { jsonIn } from '../../core/json.ts';
import { StepError } from '../../core/step-error.ts';
import type { HttpResponse } from '../ports.ts';
import { limitAsStepError, type Sandbox } from '../sandbox/sandbox.ts';
import type { Page } from './page.ts';
import { readPage, xmlProblem } from './tasks.ts';

/** Whether a text is one, and not an image or an archive that was read as one. */
export const isText = (text: string) => !text.slice(0, 8_000).includes('\0');

/** By its content type; by its beginning where the server names none. */
export function isHtml({ headers, text }: HttpResponse): boolean {
  const type = headers['content-type'];
  return type === undefined ? /^\s*<(!doctype html|html)\b/i.test(text) : /\b(html|xhtml\+xml)\b/i.test(type);
}

/** What may read it in the place of the thread that serves others. */
interface Reading {
  sandbox: Sandbox;
  signal: AbortSignal;
}
/** What reading one page may take. */
const timeoutMs = 5_000;

/** An answer in each of the forms that a step can ask for. @throws StepError when it has no such form. */
export const contentAs = {
  text: async (answer) => textOf(answer),
  html: async (answer) => textOf(answer),
  json: async (answer) => {
    const text = textOf(answer);
    const value = jsonIn(text);
    if (value === undefined) throw new StepError(`${answer.url} answers no JSON: ${beginning(text)}`);
    return value;
  },
  xml: async (answer, { sandbox, signal }) => {
    const text = textOf(answer);
    const problem = await sandbox(xmlProblem, text, { timeoutMs, signal }).catch(unreadable(answer));
    if (problem) throw new StepError(`${answer.url} answers no well-formed XML: ${problem}`);
    return text;
  },
  markdown: async (answer, { sandbox, signal }) =>
    isHtml(answer) ? (await pageOf(answer, sandbox, signal)).markdown : textOf(answer),
} satisfies Record<string, (answer: HttpResponse, reading: Reading) => Promise<unknown>>;

/** An HTML page as a reader sees it. @throws StepError */
export const pageOf = (answer: HttpResponse, sandbox: Sandbox, signal: AbortSignal): Promise<Page> =>
  sandbox(readPage, { html: textOf(answer), address: answer.url }, { timeoutMs, signal }).catch(
    unreadable(answer),
  );

const unreadable = ({ url }: HttpResponse) => limitAsStepError(url, 'to read');

/** An answer by its content type: JSON becomes its value, an HTML page markdown, all else stays text. */
export async function contentOf(answer: HttpResponse, reading: Reading): Promise<unknown> {
  if (!/\bjson\b/i.test(answer.headers['content-type'] ?? '')) return contentAs.markdown(answer, reading);
  const value = jsonIn(answer.text);
  return value === undefined ? textOf(answer) : value;
}

function textOf({ url, headers, text }: HttpResponse): string {
  if (isText(text)) return text;
  throw new StepError(`${url} answers with ${headers['content-type'] ?? 'bytes'}, which is not text`);
}

const beginning = (text: string) => JSON.stringify(text.slice(0, 100));
