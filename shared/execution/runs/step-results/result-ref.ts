import type { FlowStep } from '../../../domain/flows/steps/step.ts';
import type { CheckpointEntry } from '../checkpoints/checkpoint-index.ts';
import type { ResultRow } from '../checkpoints/rows.ts';
import type { StoredVersion } from '../linked-version.ts';

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

/** By `versionName`. */
export type StepIndex = ReadonlyMap<string, VersionSteps>;

/** Names a version with those of the flows that it runs. */
export const versionName = ({ flowVersionId, subFlows }: StoredVersion) =>
  subFlows ? `${flowVersionId} ${JSON.stringify(subFlows)}` : flowVersionId;

export const stepIn = (steps: StepIndex, version: StoredVersion, stepId: string) =>
  steps.get(versionName(version))?.byId.get(stepId);

export const referencedStep = (steps: StepIndex, { entry, row }: ResultRef) => stepIn(steps, entry, row[0]);
