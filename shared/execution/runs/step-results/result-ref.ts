import type { FlowStep } from '../../../domain/flows/steps/step.ts';
import type { CheckpointEntry } from '../checkpoints/checkpoint-index.ts';
import type { ResultRow } from '../checkpoints/rows.ts';

/** One result, by its checkpoint and its position there. */
export interface ResultRef {
  entry: CheckpointEntry;
  place: number;
  row: ResultRow;
}

interface VersionSteps {
  steps: readonly FlowStep[];
  /** With the steps that others hold. */
  byId: ReadonlyMap<string, FlowStep>;
}

/** By the id of the version. */
export type StepIndex = ReadonlyMap<string, VersionSteps>;

export const stepIn = (steps: StepIndex, versionId: string, stepId: string) =>
  steps.get(versionId)?.byId.get(stepId);

export const stepOf = (steps: StepIndex, { entry, row }: ResultRef) =>
  stepIn(steps, entry.flowVersionId, row[0]);
