import { editorTexts } from '../../../texts/flow-editor.ts';
import { branchNames } from '../steps/lists.ts';
import type { Step } from '../steps/steps.ts';

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

/** What stands at the beginning of a list in the graph: when, or how often, its steps run. */
export function listLabel(step: Step, name: string): string {
  const { type, config } = step;
  if (name === 'trueSteps') return editorTexts.true;
  if (name === 'falseSteps') return editorTexts.false;
  if (type === 'loop') return editorTexts.whileCondition(textOf(config?.while) || '…');
  if (type === 'map') return editorTexts.forEachOf(textOf(config?.items) || '…');
  const index = Number(name.split('.')[1]);
  return branchNames(step)[index] || editorTexts.branchNumber(index + 1);
}
