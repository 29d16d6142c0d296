import type { Sandbox } from '../../../adapters/sandbox/sandbox.ts';
import { type StepNode, walkStepNodes } from '../checking/step-nodes.ts';
import { stepTypes } from '../step-types/index.ts';
import type { AnyStepType } from '../steps/step.ts';
import { type Finding, finding, limitFindings } from './finding.ts';
import { unknownModels } from './models.ts';
import { reachable } from './reachability.ts';
import { risks } from './risks.ts';
import { analyseTexts } from './text-analysis.ts';
import {
  overwrittenOutputs,
  unknownUse,
  unsetVariables,
  unusedOutputs,
  type VariableUse,
  variableUse,
} from './variables.ts';

export interface Analysis {
  warnings: Finding[];
  recommendations: Finding[];
}

/** Analysis needs only a credential and costs far more than parsing, more than linearly for long templates. */
const charactersMax = { all: 250_000, one: 20_000 };

/** Reads the steps only: renders no template, runs no script, skips invalid parts. @param member Contains the steps. */
export async function analyse(steps: unknown, member: string, sandbox: Sandbox): Promise<Analysis> {
  const visits = [...walkStepNodes(steps, { path: [member] })];
  const small = fitting(visits);
  const reading = await analyseTexts(
    [...small].flatMap(({ texts }) => texts),
    sandbox,
  );
  const { reached, findings } = reachable(visits, reading.alwaysHolds);
  const uses = reached.map((visit): VariableUse => {
    if (small.has(visit) && reading.readsOf) return variableUse(visit, reading.readsOf);
    findings.push(notAnalysed(visit));
    return unknownUse(visit);
  });
  return {
    warnings: limitFindings(
      findings,
      unsetVariables(uses),
      overwrittenOutputs(uses),
      risks(reached),
      await unknownModels(reached),
    ),
    recommendations: limitFindings(unusedOutputs(uses), practices(reached)),
  };
}

/** The steps to analyse: in order, up to the total limit, without those that have a text above its own limit. */
function fitting(visits: readonly StepNode[]): Set<StepNode> {
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

const notAnalysed = (visit: StepNode): Finding =>
  finding(
    visit,
    [],
    'NOT_ANALYSED',
    `The variables of this step were not analysed: a text may have ${charactersMax.one} characters, all texts together ${charactersMax.all}, and their analysis takes a few seconds at most`,
  );

/** Finds what is valid, but usually a mistake. */
function* practices(visits: readonly StepNode[]): Generator<Finding, void> {
  for (const visit of visits) {
    const { type, config } = visit.step;
    if (type === 'prompt' && config.outputVariable === undefined && !visit.last) {
      yield finding(
        visit,
        ['config', 'outputVariable'],
        'OUTPUT_NOT_KEPT',
        'No variable takes the model’s response, so later steps cannot use it; set outputVariable',
      );
    }
    if (mayBeHandled(type) && config.errorHandling === undefined && !visit.step.retries) {
      yield finding(
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
