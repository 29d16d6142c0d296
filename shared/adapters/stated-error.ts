import { tryParseJson } from '../core/json/json.ts';

/** What a server says of an error, in one of the forms that are usual. */
export interface StatedError {
  words?: string;
  /** Its own name of the error, and the parameter of the request that it is about, as OpenAI's form has them. */
  code?: string;
  param?: string;
}

/**
 * Reads the body of an error: OpenAI's and Anthropic's form, RFC 9457, FastAPI's `detail`, Google's list, and what gateways
 * and model servers write. @param body Text, or what JSON of it says
 */
export function readStatedError(body: unknown): StatedError {
  if (typeof body !== 'string') return readError(body, 0);
  const value = tryParseJson(body);
  if (value !== undefined && typeof value !== 'string') return readError(value, 0);
  const words = readWords(value ?? body);
  return words ? { words } : {};
}

const levelsMax = 4;
/** In the order in which they are asked. */
const wordMembers = [
  'message',
  'detail',
  'error_description',
  'error_message',
  'msg',
  'title',
  'reason',
  'description',
];
const innerMembers = ['error', 'errors', 'detail', 'details', 'message', 'fault', 'body'];

function readError(value: unknown, level: number): StatedError {
  if (level > levelsMax || typeof value !== 'object' || value === null) return {};
  if (Array.isArray(value)) return readErrorList(value, level);
  const members = value as Record<string, unknown>;
  const outer = ownFacts(members);
  // An object in `error` says more than what stands beside it.
  for (const name of innerMembers) {
    const inner = readError(members[name], level + 1);
    if (inner.words) return { ...outer, ...inner };
  }
  const named = toText(members.error);
  const words = wordMembers.map((name) => toText(members[name])).find(Boolean);
  // OAuth names an error beside its description; model servers write the words themselves there.
  if (words) return { ...outer, ...(named && !outer.code && { code: named }), words };
  return { ...outer, ...(named && { words: named }) };
}

function readErrorList(list: readonly unknown[], level: number): StatedError {
  const all = list
    .slice(0, 5)
    .map((each) => (typeof each === 'string' ? { words: each } : readError(each, level + 1)));
  const [first = {}] = all;
  const words = all.flatMap((each) => each.words ?? []).join('; ');
  return { ...first, ...(words && { words }) };
}

function ownFacts({ code, type, status, param, loc }: Record<string, unknown>): Omit<StatedError, 'words'> {
  const named = [code, status, type].map(toText).find(Boolean);
  const about = Array.isArray(loc) ? loc.filter((each) => each !== 'body').join('.') : toText(param);
  return { ...(named && { code: named }), ...(about && { param: about }) };
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : ['number', 'bigint'].includes(typeof value) ? String(value) : '';

/** Of a page, the text that it shows. */
function readWords(text: string): string {
  const beginning = text.slice(0, 4_000);
  const shown = /<(?:html|body|!doctype|h1)/i.test(beginning)
    ? beginning.replace(/<(script|style|head)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, ' ').replace(/<[^<>]*>/g, ' ')
    : beginning;
  return shown.replace(/\s+/g, ' ').trim().slice(0, 1_000);
}
