import { mapItemsMax } from '../../domain/flows/step-types/map.ts';
import { holderPath, listsAround, type RunPath, stepAt } from '../../domain/flows/steps/run-path.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import type { HighestCost } from './prompt-call.ts';

/** How often a step may run at most. @param path In the definition */
export const mostTimes = (steps: readonly FlowStep[], path: RunPath): number =>
  listsAround(path)
    .map((list) => stepAt(steps, holderPath(list)))
    .reduce((times, holder) => times * timesIn(holder), 1);

const timesIn = (holder: FlowStep | undefined): number =>
  holder?.type === 'map' ? mapItemsMax : holder?.type === 'loop' ? Number(holder.config.maxIterations) : 1;

export const severalTimes = ({ calls, cost, ...highest }: HighestCost, times: number): HighestCost => ({
  ...highest,
  calls: calls * times,
  cost: cost === null ? null : cost * times,
});
