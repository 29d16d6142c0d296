import { type ErrorDetail, hasCode, toDetail } from '../../../core/errors/errors.ts';
import type { PlanNode } from '../writer.ts';

/** What a check refuses, with its place in the document. Other errors are thrown on. */
export async function findRefusalProblems(
  node: PlanNode,
  check: () => Promise<void> | void | undefined,
): Promise<ErrorDetail[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (!hasCode(error, 'VALIDATION') && !hasCode(error, 'CONFLICT')) throw error;
    return placeDetails(node, error.details);
  }
}

/** Details of a resource, or of a part of one, with their places in the document. */
export const placeDetails = ({ after }: PlanNode, details: readonly ErrorDetail[]): ErrorDetail[] =>
  details.map(({ path, code, message }) =>
    toDetail([...(after?.path ?? []), ...(path === undefined ? [] : [path])], code, message),
  );
