import { responseBytesMax, takeWithinBytes } from '../../../platform/http/responses/body-sizes.ts';
import type { StepNode } from '../checking/step-nodes.ts';

export interface Finding {
  code: string;
  message: string;
  /** Dotted path within the body. */
  path: string;
  step?: { index: number; name: string; type: string };
  details?: unknown;
}

/** @param path Within the step. */
export const createFinding = (
  { step: { name, type }, path: at, index }: StepNode,
  path: readonly PropertyKey[],
  code: string,
  message: string,
  details?: unknown,
): Finding => ({
  code,
  message,
  path: [...at, ...path].map(String).join('.'),
  step: { index, name, type },
  ...(details !== undefined && { details }),
});

/** Keep the three lists of a response within its size limit. A finding may repeat texts of the flow. */
const findingsMax = 1_000;
const findingsBytesMax = Math.floor(responseBytesMax / 3);

export function limitFindings(...sources: Iterable<Finding>[]): Finding[] {
  const found: Finding[] = [];
  let more = 0;
  for (const source of sources) {
    for (const each of source) {
      if (found.length < findingsMax) found.push(each);
      else more++;
    }
  }
  const findings = takeWithinBytes(found, findingsBytesMax);
  more += found.length - findings.length;
  if (more > 0)
    findings.push({ code: 'MORE_FINDINGS', message: `${more} more findings are not listed`, path: '' });
  return findings;
}
