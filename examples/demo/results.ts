import Big from 'big.js';
import type { OperationResponse } from '../../packages/client/src/client.ts';
import { count, type DemoColumn, note, shortDuration, table } from './output.ts';

export type DemoStepResult = OperationResponse<'flows.step-results'>['data'][number];

export type DemoStep = OperationResponse<'flows.create'>['flowSteps'][number];

interface StepTotal {
  step: Pick<DemoStep, 'name' | 'type'>;
  results: DemoStepResult[];
}

const none = '–';

/** Prints the totals of each step over all records, in the order of the flow. */
export function showByStep(steps: DemoStep[], results: DemoStepResult[]): void {
  const byStep = Map.groupBy(results, ({ stepId }) => stepId);
  table(
    totalColumns,
    withBranches(steps).map((step): StepTotal => ({ step, results: byStep.get(step.id) ?? [] })),
  );
  const unpriced = results.some(({ modelUsed, estimatedCost }) => modelUsed && estimatedCost === null);
  if (unpriced) note('The price catalog does not contain this model, so its cost is unknown.');
}

const withBranches = (steps: DemoStep[]): DemoStep[] =>
  steps.flatMap((step) => {
    const { trueSteps = [], falseSteps = [] } = step.config as { [Branch in string]?: DemoStep[] };
    return [step, ...withBranches(trueSteps), ...withBranches(falseSteps)];
  });

const totalColumns: DemoColumn<StepTotal>[] = [
  { title: 'Step', value: ({ step }) => step.name },
  { title: 'Type', value: ({ step }) => step.type },
  { title: 'Completed', right: true, value: ({ results }) => count(withStatus(results, 'completed')) },
  { title: 'Failed', right: true, value: ({ results }) => count(withStatus(results, 'failed')) },
  {
    title: 'Mean',
    right: true,
    value: ({ results }) => ofAll(results, (all) => sum(all) / all.length),
  },
  { title: 'Longest', right: true, value: ({ results }) => ofAll(results, (all) => Math.max(...all)) },
  { title: 'Tokens', right: true, value: ({ results }) => tokensOf(results) },
  { title: 'Cost in USD', right: true, value: ({ results }) => costOf(results) },
];

const withStatus = (results: DemoStepResult[], wanted: DemoStepResult['status']) =>
  results.filter(({ status }) => status === wanted).length;
const ofAll = (results: DemoStepResult[], measure: (durations: number[]) => number) =>
  results.length === 0 ? none : shortDuration(measure(results.map(({ durationMs }) => durationMs ?? 0)));
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

function tokensOf(results: DemoStepResult[]): string {
  const tokens = results.flatMap(({ totalTokens }) => totalTokens ?? []);
  return tokens.length === 0 ? none : count(sum(tokens));
}

/** Costs are decimal texts, because a sum of floating-point numbers would not be exact. */
function costOf(results: DemoStepResult[]): string {
  const costs = results.flatMap(({ estimatedCost }) => estimatedCost ?? []);
  if (costs.length > 0) return costs.reduce((total, cost) => total.plus(cost), new Big(0)).toFixed();
  return results.some(({ modelUsed }) => modelUsed) ? 'unknown' : none;
}

const outputWidth = 56;

/** Prints the results of one record, in the order of the run. */
export function printStepResults(results: DemoStepResult[]): void {
  table(
    [
      { title: 'Step', value: ({ stepName }) => stepName },
      { title: 'Status', value: ({ status }) => status },
      { title: 'Duration', right: true, value: ({ durationMs }) => shortDuration(durationMs ?? 0) },
      { title: 'Tokens', right: true, value: (result) => tokensOf([result]) },
      { title: 'Cost in USD', right: true, value: (result) => costOf([result]) },
      { title: 'Output', value: ({ outputPreview, errorMessage }) => start(outputPreview ?? errorMessage) },
    ],
    results,
  );
}

function start(text: string | null): string {
  const line = (text ?? '').replaceAll(/\s+/g, ' ');
  return line.length > outputWidth ? `${line.slice(0, outputWidth - 1)}…` : line;
}
