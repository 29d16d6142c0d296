/**
 * Turns the issues of a schema into the error details of the API: a dotted path, a code and a message for each.
 *
 * Used for every request (`parseOrReject`) and by the domain for nested contents. Of a union it reports the branch that fits
 * best, because the errors of all branches would say nothing.
 */

import * as z from 'zod';
import { foldAddress } from '../../core/email-address.ts';
import type { DetailCode } from '../../core/errors/error-codes.ts';
import { type ErrorDetail, invalid } from '../../core/errors/errors.ts';

/** The body of an action without input: empty or `{}`. */
export const EmptyBody = z.strictObject({}).optional();

/** Rejects a list with duplicates. The path of the error is that of the second occurrence. */
const rejectDuplicates =
  (toCompared: (value: string) => string) => (context: z.core.ParsePayload<string[]>) => {
    const values = new Set<string>();
    for (const [index, value] of context.value.entries()) {
      if (values.has(toCompared(value))) {
        const params = { code: 'DUPLICATE_ID' };
        const message = `${value} occurs twice. Remove one`;
        context.issues.push({ code: 'custom', params, path: [index], message, input: value });
        return;
      }
      values.add(toCompared(value));
    }
  };

export const unique = rejectDuplicates((value) => value);
/** `Ada@example.com` and `ada@example.com` are one. */
export const uniqueAddresses = rejectDuplicates(foldAddress);

/** Parses external input. @throws ServiceError 400, with the dotted path of each error. */
export function parseOrReject<S extends z.ZodType>(
  schema: S,
  value: unknown,
  base: PropertyKey[] = [],
): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw invalid(toErrorDetails(result.error.issues, base));
}

export const toErrorDetails = (
  issues: readonly z.core.$ZodIssue[],
  base: PropertyKey[] = [],
): ErrorDetail[] => issues.flatMap((issue) => toDetails(issue, base));

const expectedTime = 'Expected a time with its zone such as 2026-11-26T08:00:00Z';

function toDetails(issue: z.core.$ZodIssue, base: PropertyKey[]): ErrorDetail[] {
  const toPath = (...path: PropertyKey[]) => [...base, ...issue.path, ...path].map(String).join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: toPath(key),
        code: 'UNKNOWN_MEMBER',
        message: `"${key}" is not a known member of this object`,
      }));
    case 'invalid_type':
      return [
        issue.input === undefined
          ? {
              path: toPath(),
              code: 'MISSING_REQUIRED_FIELD',
              message: `Required: expected ${issue.expected}`,
            }
          : { path: toPath(), code: 'INVALID_TYPE', message: issue.message },
      ];
    case 'invalid_union':
      return (
        findClosestBranch(issue.errors, [...base, ...issue.path]) ?? [
          issue.input === undefined
            ? {
                path: toPath(),
                code: 'MISSING_REQUIRED_FIELD',
                message: `Required: expected ${listExpectations(issue)}`,
              }
            : { path: toPath(), code: 'INVALID_VALUE', message: describeUnion(issue) },
        ]
      );
    case 'invalid_value':
      return [
        issue.input === undefined
          ? {
              path: toPath(),
              code: 'MISSING_REQUIRED_FIELD',
              message: `Required: expected one of ${issue.values.join(', ')}`,
            }
          : { path: toPath(), code: 'INVALID_ENUM', message: issue.message },
      ];
    case 'invalid_format':
      return [
        {
          path: toPath(),
          code: 'INVALID_FORMAT',
          message: issue.format === 'datetime' ? expectedTime : issue.message,
        },
      ];
    case 'invalid_key':
      return [{ path: toPath(), code: 'INVALID_KEY', message: issue.issues[0]?.message ?? issue.message }];
    case 'custom':
      return [
        {
          path: toPath(),
          code: (issue.params?.code ?? 'INVALID_VALUE') as DetailCode,
          message: issue.message,
        },
      ];
    default:
      return [{ path: toPath(), code: toUpperCase(issue.code), message: issue.message }];
  }
}

const toUpperCase = <Text extends string>(text: Text) => text.toUpperCase() as Uppercase<Text>;

/** Reports the errors of the best-matching branch of a union: the one whose error is nested deepest. */
function findClosestBranch(branches: readonly (readonly z.core.$ZodIssue[])[], base: PropertyKey[]) {
  const depth = (issues: readonly z.core.$ZodIssue[]) =>
    issues.reduce((deepest, { path }) => Math.max(deepest, path.length), 0);
  const best = branches.toSorted((a, b) => depth(b) - depth(a))[0];
  return best && depth(best) > 0 ? toErrorDetails(best, base) : undefined;
}

type InvalidUnion = z.core.$ZodIssueInvalidUnion;

const describeUnion = (issue: InvalidUnion) =>
  issue.message === 'Invalid input' && issue.errors.length > 0
    ? `Expected ${listExpectations(issue)}`
    : issue.message;

/** What each branch of a union expects. */
const listExpectations = ({ errors }: InvalidUnion) =>
  [
    ...new Set(
      errors.map(([first]) => first?.message.replace(/^.*?expected /i, '').replace(/, received .*$/, '')),
    ),
  ]
    .filter(Boolean)
    .join(' or ');
