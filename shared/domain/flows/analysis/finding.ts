import type { StepNode } from '../checking/step-nodes.ts';

/** Something that is to be said about a flow. */
export interface Finding {
  code: string;
  message: string;
  /** Into the body, dotted. */
  path: string;
  step?: { index: number; name: string; type: string };
  details?: unknown;
}

/** @param path Into the step. */
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

/** More are not listed: an answer has to fit its bounds. */
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
    findings.push({ code: 'MORE_FINDINGS', message: `There are ${more} more, not listed`, path: '' });
  return findings;
}
