import { bounded, type Finding, finding } from './finding.ts';
import { unknownModels } from './models.ts';
import { practices } from './practices.ts';
import { reachable } from './reachability.ts';
import { overwritten, type Use, unlooked, unset, unused, useOf } from './variables.ts';
import { type Visit, visitsOf } from './visits.ts';

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
export async function analyse(steps: unknown, member: string): Promise<Analysis> {
  const visits = [...visitsOf(steps, { path: [member], branches: [], last: true })];
  const { reached, findings } = await reachable(visits);
  const uses: Use[] = [];
  let characters = 0;
  for (const visit of reached) {
    const lengths = visit.texts.map(({ text }) => text.length);
    characters += lengths.reduce((sum, length) => sum + length, 0);
    const fits = characters <= charactersMax.all && lengths.every((length) => length <= charactersMax.one);
    if (!fits) findings.push(notAnalysed(visit));
    uses.push(fits ? await useOf(visit) : unlooked(visit));
  }
  return {
    warnings: bounded(findings, unset(uses), overwritten(uses), await unknownModels(reached)),
    recommendations: bounded(unused(uses), practices(reached)),
  };
}

const notAnalysed = (visit: Visit): Finding =>
  finding(
    visit,
    [],
    'NOT_ANALYSED',
    `The variables of this step were not looked at: for that a text may have ${charactersMax.one} characters, and all together ${charactersMax.all}`,
  );
