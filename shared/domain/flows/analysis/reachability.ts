import type { StepNode } from '../checking/step-nodes.ts';
import { findHeldLists } from '../steps/held-lists.ts';
import { createFinding, type Finding } from './finding.ts';

/** Whether an expression is always true, or always false; undefined if that depends on the variables. */
export type AlwaysHolds = (expression: string) => boolean | undefined;

export function findReachable(
  visits: readonly StepNode[],
  alwaysHolds: AlwaysHolds,
): { reached: StepNode[]; findings: Finding[] } {
  const reached: StepNode[] = [];
  const findings: Finding[] = [];
  /** The paths of the lists that no run enters. */
  const closed = new Set<string>();
  for (const visit of visits) {
    const { step, path, lists } = visit;
    if (lists.some((list) => closed.has(list.path))) continue;
    const problem = findNeverRuns(visit, alwaysHolds);
    if (problem) {
      findings.push(problem);
      for (const { at } of findHeldLists(step.config)) closed.add([...path, 'config', ...at].join('.'));
      continue;
    }
    reached.push(visit);
    if (step.type !== 'conditional') continue;
    for (const branch of findClosedBranches(visit, alwaysHolds)) {
      closed.add([...path, ...branch.path].join('.'));
      findings.push(createFinding(visit, branch.path, 'UNREACHABLE_BRANCH', branch.message));
    }
  }
  return { reached, findings };
}

function findNeverRuns(visit: StepNode, alwaysHolds: AlwaysHolds): Finding | undefined {
  const { enabled, when } = visit.step;
  if (!enabled)
    return createFinding(visit, ['enabled'], 'UNREACHABLE_STEP', 'The step is disabled, so it never runs');
  if (when === undefined || alwaysHolds(when) !== false) return undefined;
  return createFinding(
    visit,
    ['when'],
    'UNREACHABLE_STEP',
    'The condition is always false, so the step never runs',
  );
}

function findClosedBranches({ step: { config } }: StepNode, alwaysHolds: AlwaysHolds) {
  if (typeof config.condition !== 'string') return [];
  const holds = alwaysHolds(config.condition);
  const branch = holds ? 'falseSteps' : 'trueSteps';
  const steps = config[branch];
  if (holds === undefined || !Array.isArray(steps) || steps.length === 0) return [];
  const message = `The condition is ${holds ? 'always true' : 'always false'}, so these steps never run`;
  return [{ path: ['config', branch], message }];
}
