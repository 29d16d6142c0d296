import * as z from 'zod';
import { truncate } from './text.ts';

/** What may go otherwise than asked without a failure. Closed: `docs/warnings.md` says what to do about each. */
export const warningCodes = {
  ANSWER_CUT:
    'The answer of a model ends at its limit of output tokens, or its provider ended it for another reason',
  ANSWER_EMPTY: 'An agent ended without a word, after its tools had worked',
  CHUNK_TOO_LARGE: 'A record is larger than a chunk of a reduce step, and is a chunk of its own',
  CONTENT_CUT: 'A page, a file or a result is longer than what is read of it',
  FALLBACK_USED: 'A fallback took the place of what failed',
  LIST_CUT: 'A list has more entries than are read',
  MORE_WARNINGS: 'More kinds of warnings than a run shows',
  NOT_JSON: 'An answer of an API says that it is JSON, and is not: it is a text',
  SETTING_IGNORED: 'A model or its provider does not take a setting',
  STEP_FAILED: 'A step failed, and the flow went on, as it says',
  TEXT_ENCODING:
    'A text has bytes that are not in its encoding, or the encoding was guessed: letters may be wrong',
  TOOLS_MISSING: 'Tools that the model was to have are not available',
} as const satisfies Record<string, string>;
export type WarningCode = keyof typeof warningCodes;

const codes = Object.keys(warningCodes) as [WarningCode, ...WarningCode[]];

export const Warning = z
  .object({
    code: z.enum(codes),
    message: z.string(),
    stepId: z.string().optional(),
    count: z.int().meta({ description: 'How often it happened' }),
  })
  .meta({ id: 'Warning', description: 'What went otherwise than asked, and did not fail' });
export type Warning = z.infer<typeof Warning>;

export type NewWarning = Pick<Warning, 'code' | 'message'>;

/** Of a run, of a batch or of a step. */
const kindsMax = 20;
const messageMax = 300;

export const createWarning = ({ code, message }: NewWarning): Warning => ({
  code,
  message: truncate(message, messageMax),
  count: 1,
});

/** Equal ones are counted together. What is beyond the most kinds is counted as `MORE_WARNINGS`. */
export function mergeWarnings(...lists: readonly (readonly Warning[])[]): Warning[] {
  // As nearly always: it is asked for each step.
  if (lists.every(({ length }) => length === 0)) return [];
  const merged = new Map<string, Warning>();
  for (const warning of lists.flat()) {
    const shown = merged.size < kindsMax - 1 || merged.has(toKey(warning)) ? warning : more(warning);
    const earlier = merged.get(toKey(shown));
    merged.set(toKey(shown), earlier ? { ...earlier, count: earlier.count + shown.count } : shown);
  }
  return [...merged.values()];
}

const more = ({ count }: Warning): Warning => ({
  code: 'MORE_WARNINGS',
  message: `There are more kinds of warnings than the ${kindsMax} that are shown`,
  count,
});

const toKey = ({ code, message, stepId = '' }: Warning) => `${code} ${stepId} ${message}`;

/** By code. */
export const WarningCounts = z
  .partialRecord(z.enum(codes), z.int())
  .meta({ description: 'How often each warning happened, by its code' });

export const isWarningCode = (code: string | undefined): code is WarningCode =>
  code !== undefined && Object.hasOwn(warningCodes, code);

/** Of which only the code and the count are known. */
export const toCountedWarning = (code: WarningCode, count: number): Warning => ({
  code,
  message: warningCodes[code],
  count,
});

/** How many warnings there are of each code. */
export function countWarnings(warnings: readonly Warning[]): Partial<Record<WarningCode, number>> {
  const counts: Partial<Record<WarningCode, number>> = {};
  for (const { code, count } of warnings) counts[code] = (counts[code] ?? 0) + count;
  return counts;
}
