import type * as z from 'zod';
import type { Sandbox } from '../../../adapters/sandbox/sandbox.ts';
import type { ErrorDetail } from '../../../core/errors/errors.ts';
import { toErrorDetails } from '../../../platform/http/validation.ts';
import { NestedSteps } from '../checking/flow-step.ts';
import { findTextProblems } from '../checking/flow-steps.ts';
import { type StepNode, walkStepNodes } from '../checking/step-nodes.ts';
import { stepTypes } from '../step-types/index.ts';
import { findHeldLists } from '../steps/held-lists.ts';
import type { AnyStepType } from '../steps/step.ts';
import { createFinding, type Finding, limitFindings, risks } from './finding.ts';
import { findUnknownModels } from './models.ts';
import {
  type AlwaysHolds,
  analyseTexts,
  createUnknownUse,
  findOverwrittenOutputs,
  findUnsetVariables,
  findUnusedOutputs,
  readVariableUse,
  type VariableUse,
} from './variables.ts';

/**
 * Validates a flow as a caller sends it: what saving would refuse, and what is valid but probably wrong.
 *
 * The errors are those of the schema for saving and of the texts, all at once instead of the first kind only. The warnings and
 * recommendations come from reading the steps in the order in which they may run: reachability, variables, risks, unknown
 * models. Nothing is rendered or run, except that the sandbox parses scripts; texts beyond a size are not analysed, and the
 * steps that have them are named. `account-check.ts` adds what depends on the tenant.
 */

export interface Validation extends Analysis {
  valid: boolean;
  errors: Finding[];
}

/** The flow is too large or too deep for further analysis. */
const outOfBounds = new Set(['TOO_MANY_STEPS', 'TOO_MANY_TOOLS', 'TOO_MANY_VALUES', 'TOO_DEEP']);

/** Validates a flow as it is sent. @param Body The schema for saving; its issues become the errors verbatim. */
export async function validateSentFlow(
  Body: z.ZodType,
  body: Record<string, unknown>,
  sandbox: Sandbox,
): Promise<Validation> {
  const { error } = Body.safeParse(body, { reportInput: true });
  const member = findStepsMember(body);
  const refusals = toErrorDetails(error?.issues ?? []);
  const stop = refusals.some(({ code }) => outOfBounds.has(code));
  const all = stop ? refusals : await addOtherProblems(refusals, body[member], member, sandbox);
  const errors = limitFindings(all.map(({ path = '', ...detail }): Finding => ({ ...detail, path }))).map(
    (finding): Finding => ({ ...finding, ...findStep(body, finding.path) }),
  );
  const analysis = stop
    ? { warnings: [], recommendations: [] }
    : await analyse(body[member], member, sandbox);
  return { valid: errors.length === 0, errors, ...analysis };
}

/** The member of the body that contains the steps. */
export const findStepsMember = (body: Record<string, unknown>) =>
  body.flowSteps === undefined && body.steps !== undefined ? 'steps' : 'flowSteps';

export const isOutOfBounds = ({ errors }: Pick<Validation, 'errors'>) =>
  errors.some(({ code }) => outOfBounds.has(code));

/** Saving stops at the first kind of problem: the list of steps, then its shape. Validation reports all of them. */
async function addOtherProblems(
  refusals: ErrorDetail[],
  steps: unknown,
  member: string,
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  const { error } = refusals.length > 0 ? NestedSteps.safeParse(steps, { reportInput: true }) : {};
  const others = [
    ...toErrorDetails(error?.issues ?? [], [member]),
    ...(await findTextProblems(steps, [member], sandbox)),
  ];
  const refused = new Set(refusals.map(({ path }) => path));
  return [...refusals, ...others.filter(({ path }) => !refused.has(path))];
}

/** The innermost step on a path, with the index of its top-level step. */
function findStep(body: unknown, path: string): Pick<Finding, 'step'> {
  const segments = path.split('.');
  let value: unknown = body;
  let step: Finding['step'];
  const index = Number(segments[1]);
  for (const [at, segment] of segments.entries()) {
    value = (value as Record<string, unknown> | null | undefined)?.[segment];
    const holder = segments[at - 1];
    if (!['flowSteps', 'steps', 'trueSteps', 'falseSteps'].includes(holder ?? '')) continue;
    const { name, type } = (value ?? {}) as { name?: unknown; type?: unknown };
    step = { index, name: typeof name === 'string' ? name : '', type: typeof type === 'string' ? type : '' };
  }
  return step ? { step } : {};
}

interface Analysis {
  warnings: Finding[];
  recommendations: Finding[];
}

/** Analysis needs only a credential and costs far more than parsing, more than linearly for long templates. */
const charactersMax = { all: 250_000, one: 20_000 };

/** Reads the steps only: renders no template, runs no script, skips invalid parts. @param member Contains the steps. */
export async function analyse(steps: unknown, member: string, sandbox: Sandbox): Promise<Analysis> {
  const visits = [...walkStepNodes(steps, { path: [member] })];
  const small = selectSmall(visits);
  const reading = await analyseTexts(
    [...small].flatMap(({ texts }) => texts),
    sandbox,
  );
  const { reached, findings } = findReachable(visits, reading.alwaysHolds);
  const uses = reached.map((visit): VariableUse => {
    if (small.has(visit) && reading.readsOf) return readVariableUse(visit, reading.readsOf);
    findings.push(createNotAnalysed(visit));
    return createUnknownUse(visit);
  });
  return {
    warnings: limitFindings(
      findings,
      findUnsetVariables(uses),
      findOverwrittenOutputs(uses),
      risks(reached),
      await findUnknownModels(reached),
    ),
    recommendations: limitFindings(findUnusedOutputs(uses), findPractices(reached)),
  };
}

/** The steps to analyse: in order, up to the total limit, without those that have a text above its own limit. */
function selectSmall(visits: readonly StepNode[]): Set<StepNode> {
  const fit = new Set<StepNode>();
  let characters = 0;
  for (const visit of visits) {
    const lengths = visit.texts.map(({ text }) => text.length);
    characters += lengths.reduce((sum, length) => sum + length, 0);
    if (characters > charactersMax.all) break;
    if (lengths.every((length) => length <= charactersMax.one)) fit.add(visit);
  }
  return fit;
}

const createNotAnalysed = (visit: StepNode): Finding =>
  createFinding(
    visit,
    [],
    'NOT_ANALYSED',
    `The variables of this step were not analysed: a text may have ${charactersMax.one} characters, all texts together ${charactersMax.all}, and their analysis takes a few seconds at most`,
  );

/** Finds what is valid, but usually a mistake. */
function* findPractices(visits: readonly StepNode[]): Generator<Finding, void> {
  for (const visit of visits) {
    const { type, config } = visit.step;
    if (type === 'prompt' && config.outputVariable === undefined && !visit.last) {
      yield createFinding(
        visit,
        ['config', 'outputVariable'],
        'OUTPUT_NOT_KEPT',
        'No variable takes the model’s response, so later steps cannot use it; set outputVariable',
      );
    }
    if (mayBeHandled(type) && config.errorHandling === undefined && !visit.step.retries) {
      yield createFinding(
        visit,
        ['config', 'errorHandling'],
        'NO_ERROR_HANDLING',
        'The run ends if this step fails; set errorHandling to retry the step or to continue',
      );
    }
  }
}

/** Whether a step reaches outside, and takes a handling of its errors. */
function mayBeHandled(type: string): boolean {
  const types: Record<string, AnyStepType> = stepTypes;
  const { effects, config } = (Object.hasOwn(types, type) && types[type]) || {};
  return effects === true && config?.shape.errorHandling !== undefined;
}

function findReachable(
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
