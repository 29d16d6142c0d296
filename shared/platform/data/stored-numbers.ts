import { type ErrorDetail, invalid } from '../../core/errors/errors.ts';

/** DynamoDB stores no smaller ones than this, and its SDK neither writes nor reads larger ones than a safe integer. */
const smallest = 1e-130;

const detailsMax = 20;

/** @throws ServiceError 400 with the path of each number that cannot be stored. */
export function assertStorableNumbers(members: Readonly<Record<string, unknown>>): void {
  if (areStorable(members)) return;
  throw invalid(refusedIn(members, []).take(detailsMax).toArray());
}

/** Of every write, so without the paths, which only a refusal needs. */
function areStorable(value: unknown): boolean {
  if (typeof value === 'number') return isStorable(value);
  return !mayHoldNumbers(value) || Object.values(value).every(areStorable);
}

function* refusedIn(value: unknown, path: readonly string[]): Generator<ErrorDetail, void> {
  if (typeof value === 'number') {
    if (!isStorable(value)) yield { path: path.join('.'), ...outOfRange };
    return;
  }
  if (!mayHoldNumbers(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'number' || mayHoldNumbers(member)) yield* refusedIn(member, [...path, name]);
  }
}

const isStorable = (number: number) => {
  const size = Math.abs(number);
  return number === 0 || (size >= smallest && size <= Number.MAX_SAFE_INTEGER);
};

/** Binary and sets hold none. */
const mayHoldNumbers = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !(value instanceof Set);

const outOfRange = {
  code: 'NUMBER_OUT_OF_RANGE',
  message: 'A stored number is 0 or has a magnitude from 1e-130 to 9007199254740991. Send it as text',
} as const;
