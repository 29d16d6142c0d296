import type { Sandbox } from '../../../adapters/sandbox/sandbox.ts';
import { type StepNode, walkStepNodes } from '../checking/step-nodes.ts';
import { type Finding, finding, limitFindings } from './finding.ts';
import { unknownModels } from './models.ts';
import { practices } from './practices.ts';
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
