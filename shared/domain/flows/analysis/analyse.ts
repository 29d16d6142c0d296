import type { Sandbox } from '../../../adapters/sandbox/sandbox.ts';
import { type StepNode, stepNodesOf } from '../checking/step-nodes.ts';
import { type Finding, finding, limitFindings } from './finding.ts';
import { unknownModels } from './models.ts';
import { practices } from './practices.ts';
import { reachable } from './reachability.ts';
import { analyseTexts } from './text-analysis.ts';
import {
  overwrittenOutputs,
  unknownUse,
  unsetVariables,
  unusedOutputs,
  useOf,
  type VariableUse,
} from './variables.ts';

export interface Analysis {
  warnings: Finding[];
  recommendations: Finding[];
}

/**
 * How much of templates and scripts is looked at, and how long one may be. Anyone may ask for this, and it costs much
 * more than to check that they parse: with long templates more and more.
 */
const charactersMax = { all: 250_000, one: 20_000 };

/**
 * What is to be said about the steps of a flow beyond whether they can be saved. Reads them only: no template is
 * filled and no script run. Parts that are wrong are passed over.
 * @param member The member of the body that holds the steps.
 */
export async function analyse(steps: unknown, member: string, sandbox: Sandbox): Promise<Analysis> {
  const visits = [...stepNodesOf(steps, { path: [member], branches: [], last: true })];
  const small = fitting(visits);
  const reading = await analyseTexts(
    [...small].flatMap(({ texts }) => texts),
    sandbox,
  );
  const { reached, findings } = reachable(visits, reading.alwaysHolds);
  const uses = reached.map((visit): VariableUse => {
    if (small.has(visit) && reading.readsOf) return useOf(visit, reading.readsOf);
    findings.push(notAnalysed(visit));
    return unknownUse(visit);
  });
  return {
    warnings: limitFindings(
      findings,
      unsetVariables(uses),
      overwrittenOutputs(uses),
      await unknownModels(reached),
    ),
    recommendations: limitFindings(unusedOutputs(uses), practices(reached)),
  };
}

/** The steps whose texts are looked at: the first ones, as far as all may be long, without those that are too long. */
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
    `The variables of this step were not looked at: for that a text may have ${charactersMax.one} characters, and all together ${charactersMax.all}`,
  );
