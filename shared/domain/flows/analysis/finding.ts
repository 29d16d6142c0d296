import type { StepNode } from '../checking/step-nodes.ts';

/** A problem or recommendation for a flow. */
export interface Finding {
  code: string;
  message: string;
  /** Dotted path within the body. */
  path: string;
  step?: { index: number; name: string; type: string };
  details?: unknown;
}

/** @param path Within the step. */
export const finding = (
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

/** Keeps the response within its size limit. */
const findingsMax = 1_000;

export function limitFindings(...sources: Iterable<Finding>[]): Finding[] {
  const findings: Finding[] = [];
  let more = 0;
  for (const source of sources) {
    for (const each of source) {
      if (findings.length < findingsMax) findings.push(each);
      else more++;
    }
  }
  if (more > 0)
    findings.push({ code: 'MORE_FINDINGS', message: `${more} more findings are not listed`, path: '' });
  return findings;
}
