import { type ErrorDetail, invalid, invalidAt } from '../../core/errors.ts';
import { isDeeperThan } from '../../core/nesting.ts';
import { withoutTrailing } from '../../core/text.ts';

/** Deeper JSON could be parsed, but not written down again. Schemas say what is too deep for them. */
const levelsMax = 2_000;

/**
 * What a text may hold that JSON.parse changes or lets through: a number of many digits or a large exponent, a member
 * that means more than a key in JavaScript. Only such a text is looked at value by value.
 */
const suspicious = /[\d.]{16}|\d[eE]\+?\d{3}|__proto__|"prototype"|\\u00[4-7]/i;

/** @throws ServiceError 400 where a body is nested too deeply to be written down again. */
export function assertNotTooDeep(value: unknown): void {
  if (isDeeperThan(levelsMax, value)) throw tooDeep();
}

export const tooDeep = () =>
  invalidAt('', 'TOO_DEEP', `The body may be nested ${levelsMax} levels deep at most`);

type Problem = Omit<ErrorDetail, 'path'>;

/** Stands in place of a value that cannot be taken, until its path is known. */
class Refused {
  readonly problem: Problem;

  constructor(problem: Problem) {
    this.problem = problem;
  }
}

/**
 * Lets through JSON that is taken as it was sent (I-JSON, RFC 7493), and text that is no JSON.
 * @throws ServiceError 400 at the path of each value that JSON.parse would change.
 */
export function assertExactJson(text: string): void {
  if (!suspicious.test(text)) return;
  let refused = 0;
  const value = parsed(text, (key, member: unknown, context?: { source?: string }) => {
    const problem = problemOf(key, member, context?.source);
    if (!problem) return member;
    refused++;
    return new Refused(problem);
  });
  if (refused > 0) throw invalid(detailsIn(value).take(detailsMax).toArray());
}

function parsed(text: string, reviver: Parameters<typeof JSON.parse>[1]): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

const detailsMax = 20;

function* detailsIn(value: unknown, path: string[] = []): Generator<ErrorDetail, void> {
  if (value instanceof Refused) yield { path: path.join('.'), ...value.problem };
  else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) yield* detailsIn(member, [...path, key]);
  }
}

function problemOf(key: string, member: unknown, source = ''): Problem | undefined {
  if (key === '__proto__') {
    return { code: 'FORBIDDEN_MEMBER', message: 'No member of a body may be called __proto__' };
  }
  // What the parser refuses without its path.
  if (key === 'constructor' && isObject(member) && Object.hasOwn(member, 'prototype')) {
    return {
      code: 'FORBIDDEN_MEMBER',
      message: 'No member called constructor may have one called prototype',
    };
  }
  if (typeof member === 'number' && isChanged(source, member)) {
    return {
      code: 'NUMBER_NOT_EXACT',
      message: 'No 64-bit floating-point number is exactly this; send it as text',
    };
  }
  return undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a whole number is another one than was sent, or none at all. Fractions are rounded, as everywhere. */
function isChanged(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return true;
  const sent = decimalOf(source);
  const { digits, exponent } = decimalOf(String(value));
  return sent.exponent >= 0 && (sent.digits !== digits || sent.exponent !== exponent);
}

/** A decimal as its significant digits and a power of ten: `1200` and `1.2e3` are both 12 and 2. */
function decimalOf(text: string) {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(text) ?? [];
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = withoutTrailing(all, '0');
  const isZero = digits === '';
  return { digits, exponent: isZero ? 0 : Number(exponent) - fraction.length + all.length - digits.length };
}
