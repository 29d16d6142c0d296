import { type ErrorDetail, invalid, invalidAt } from '../../core/errors/errors.ts';
import { roundsWhole } from '../../core/json/exact-json.ts';
import { isForbiddenMember } from '../../core/json/forbidden-members.ts';
import { isDeeperThan } from '../../core/json/nesting.ts';

/** Deeper JSON can be parsed but not serialized again. Schemas may set lower limits. */
const levelsMax = 2_000;

/** Values that JSON.parse may change or that are unsafe. Only such texts are checked value by value. */
const suspicious = /[\d.]{16}|\d[eE]\+?\d{3}|__proto__|"prototype"|\\u00[4-7]/i;

/** @throws ServiceError 400 if a body is nested too deeply to be serialized again. */
export function assertNotTooDeep(value: unknown): void {
  if (isDeeperThan(levelsMax, value)) throw createTooDeep();
}

export const createTooDeep = () =>
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
export const assertExactJson = (text: string): void =>
  refuse(text, (name, member, source) => checkName(name, member) ?? checkNumber(member, source));

/** The same without the numbers. @throws as `assertExactJson` */
export const assertSafeNames = (text: string): void => refuse(text, checkName);

function refuse(
  text: string,
  findProblem: (name: string, member: unknown, source?: string) => Problem | undefined,
) {
  if (!suspicious.test(text)) return;
  let refused = 0;
  const value = tryParse(text, (key, member: unknown, context?: { source?: string }) => {
    const problem = refused < detailsMax ? findProblem(key, member, context?.source) : undefined;
    if (!problem) return member;
    refused++;
    return new Refused(problem);
  });
  if (refused > 0) throw invalid(collectDetails(value).take(detailsMax).toArray());
}

function tryParse(text: string, reviver: Parameters<typeof JSON.parse>[1]): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

const detailsMax = 20;

function* collectDetails(value: unknown, path: string[] = []): Generator<ErrorDetail, void> {
  if (value instanceof Refused) yield { path: path.join('.'), ...value.problem };
  else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) yield* collectDetails(member, [...path, key]);
  }
}

function checkName(key: string, member: unknown): Problem | undefined {
  // The parser rejects the second without a path.
  if (!isForbiddenMember(key, member)) return undefined;
  const what = key === '__proto__' ? 'The name __proto__' : 'A member constructor with a member prototype';
  return { code: 'FORBIDDEN_MEMBER', message: `${what} is not allowed in a body` };
}

/** Fractions are rounded, as usual. */
const checkNumber = (member: unknown, source = ''): Problem | undefined =>
  // D22
  typeof member !== 'number' || !roundsWhole(source, member)
    ? undefined
    : {
        code: 'NUMBER_NOT_EXACT',
        message: 'No 64-bit floating-point number has exactly this value. Send it as text',
      };

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
