import { responseBytesMax, takeWithinBytes } from '../../../platform/http/responses/body-sizes.ts';
import type { StepNode } from '../checking/step-nodes.ts';
import { stepTypes } from '../step-types/index.ts';
import { mapItemsMax } from '../step-types/map.ts';
import type { AnyStepType } from '../steps/step.ts';

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

export const unboundedMap = 'MAP_WITHOUT_BOUND';

/** Finds what may cost far more than it looks like, and what may wait for nothing. */
export function* risks(visits: readonly StepNode[]): Generator<Finding, void> {
  for (const visit of visits) {
    const { type, config } = visit.step;
    if (type === 'map' && typeof config.items === 'string' && !isBounded(config.items)) {
      const paid = visits.find((inside) => callsModels(inside.step.type) && isHeldBy(inside, visit));
      if (paid) {
        const message = `Nothing limits the list, so the step "${paid.step.name}" may call a model up to ${mapItemsMax} times a run; limit the list, for example with .slice(0, 50)`;
        yield createFinding(visit, ['config', 'items'], unboundedMap, message);
      }
    }
    if (type === 'wait-for-callback' && config.announce === undefined) {
      yield createFinding(
        visit,
        ['config', 'announce'],
        'CALLBACK_NOT_ANNOUNCED',
        'Nothing sends the address of the callback; set announce, or read it from the waits of each run and pass it on',
      );
    }
  }
}

/** Whether a step is in a list of another, at any depth. */
export const isHeldBy = ({ lists }: StepNode, { path }: StepNode) =>
  lists.some(({ holder }) => holder.path.join('.') === path.join('.'));

/** A list that is written down, or cut. */
const isBounded = (items: string) => /^\s*\[/.test(items) || /\.slice\(|length:/.test(items);

export function callsModels(type: string): boolean {
  const types: Record<string, AnyStepType> = stepTypes;
  return Object.hasOwn(types, type) && types[type]?.callsModels === true;
}
