import { type ErrorDetail, invalid, invalidAt } from '../../core/errors/errors.ts';
import { isDeeperThan } from '../../core/json/nesting.ts';
import { withoutTrailing } from '../../core/text.ts';

/** Deeper JSON can be parsed but not serialized again. Schemas may set lower limits. */
const levelsMax = 2_000;

/** Values that JSON.parse may change or that are unsafe. Only such texts are checked value by value. */
const suspicious = /[\d.]{16}|\d[eE]\+?\d{3}|__proto__|"prototype"|\\u00[4-7]/i;

/** @throws ServiceError 400 if a body is nested too deeply to be serialized again. */
export function assertNotTooDeep(value: unknown): void {
  if (isDeeperThan(levelsMax, value)) throw tooDeep();
}

export const tooDeep = () =>
  invalidAt('', 'TOO_DEEP', `The body is nested more than ${levelsMax} levels deep`);

type Problem = Omit<ErrorDetail, 'path'>;

/** Replaces a refused value until its path is known. */
class Refused {
  readonly problem: Problem;

  constructor(problem: Problem) {
    this.problem = problem;
  }
}

/** Accepts I-JSON (RFC 7493) and text that is no JSON. @throws ServiceError 400 with each refused path. */
export function assertExactJson(text: string): void {
  if (!suspicious.test(text)) return;
  let refused = 0;
  const value = parsed(text, (key, member: unknown, context?: { source?: string }) => {
    const problem = refused < detailsMax ? problemOf(key, member, context?.source) : undefined;
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
    return { code: 'FORBIDDEN_MEMBER', message: 'The name __proto__ is not allowed in a body' };
  }
  // The parser rejects this without a path.
  if (key === 'constructor' && isObject(member) && Object.hasOwn(member, 'prototype')) {
    return {
      code: 'FORBIDDEN_MEMBER',
      message: 'A member constructor with a member prototype is not allowed in a body',
    };
  }
  if (typeof member === 'number' && isChanged(source, member)) {
    return {
      code: 'NUMBER_NOT_EXACT',
      message: 'No 64-bit floating-point number has exactly this value. Send it as text',
    };
  }
  return undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether parsing changes a whole number. Fractions are rounded, as usual. */
function isChanged(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return true;
  // A whole number stays whole, and a short one exact.
  if (!Number.isInteger(value) || (Number.isSafeInteger(value) && /^-?\d+$/.test(source))) return false;
  const sent = decimalOf(source);
  const { digits, exponent } = decimalOf(String(value));
  return sent.exponent >= 0 && (sent.digits !== digits || sent.exponent !== exponent);
}

/** The significant digits and the power of ten of a decimal: `1200` and `1.2e3` are both 12 and 2. */
function decimalOf(text: string) {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(text) ?? [];
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = withoutTrailing(all, '0');
  const isZero = digits === '';
  return { digits, exponent: isZero ? 0 : Number(exponent) - fraction.length + all.length - digits.length };
}
