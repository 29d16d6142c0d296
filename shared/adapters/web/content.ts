import { StepError } from '../../core/errors/step-error.ts';
import { parseAnswerJson } from '../../core/json/json.ts';
import type { HttpResponse } from '../ports/http-port.ts';
import { limitAsStepError, type Sandbox } from '../sandbox/sandbox.ts';
import type { ContentForm } from './content-forms.ts';
import type { WebPage } from './page.ts';
import { readPageTask, xmlProblemTask } from './tasks.ts';

/** False for binary data that was decoded as text. */
export const isText = (text: string) => !text.slice(0, 8_000).includes('\0');

/** By content type, or by the beginning of the text if the server sends none. */
export function isHtml({ headers, text }: HttpResponse): boolean {
  const type = headers['content-type'];
  return type === undefined ? /^\s*<(!doctype html|html)\b/i.test(text) : /\b(html|xhtml\+xml)\b/i.test(type);
}

/** Where to parse, to keep the serving thread free. */
interface Reading {
  sandbox: Sandbox;
  signal: AbortSignal;
  /** The port by which an error is masked before it is cut (D237). */
  shown: (text: string) => string;
}
const timeoutMs = 5_000;

/** Converts a response to each form that a step can request. @throws StepError if that is impossible. */
export const contentAs = {
  text: async (answer) => readText(answer),
  html: async (answer) => readText(answer),
  json: async (answer, { shown }) => {
    const text = readText(answer);
    const value = parseAnswerJson(text, answer.url);
    if (value === undefined)
      throw new StepError(`${answer.url} did not return JSON: ${quoteBeginning(shown(text))}`);
    return value;
  },
  xml: async (answer, { sandbox, signal }) => {
    const text = readText(answer);
    const problem = await sandbox(xmlProblemTask, text, { timeoutMs, signal }).catch(unreadable(answer));
    if (problem) throw new StepError(`${answer.url} did not return well-formed XML: ${problem}`);
    return text;
  },
  markdown: async (answer, { sandbox, signal }) =>
    isHtml(answer) ? (await readResponse(answer, sandbox, signal)).markdown : readText(answer),
} satisfies Record<ContentForm, (answer: HttpResponse, reading: Reading) => Promise<unknown>>;

/** Extracts the readable content of an HTML page. @throws StepError */
export const readResponse = (answer: HttpResponse, sandbox: Sandbox, signal: AbortSignal): Promise<WebPage> =>
  sandbox(readPageTask, { html: readText(answer), address: answer.url }, { timeoutMs, signal }).catch(
    unreadable(answer),
  );

const unreadable = ({ url }: HttpResponse) => limitAsStepError(url, 'to read');

/** Converts a response by its content type: JSON to a value, HTML to Markdown, anything else stays text. */
export async function responseContent(answer: HttpResponse, reading: Reading): Promise<unknown> {
  if (!/\bjson\b/i.test(answer.headers['content-type'] ?? '')) return contentAs.markdown(answer, reading);
  const value = parseAnswerJson(answer.text, answer.url);
  return value === undefined ? readText(answer) : value;
}

function readText({ url, headers, text }: HttpResponse): string {
  if (isText(text)) return text;
  throw new StepError(`${url} returned ${headers['content-type'] ?? 'bytes'}, which is not text`);
}

const quoteBeginning = (text: string) => JSON.stringify(text.slice(0, 100));
