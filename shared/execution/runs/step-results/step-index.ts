import type { FlowStep } from '../../../domain/flows/steps/step.ts';
import { walkSteps } from '../../../domain/flows/steps/walk-steps.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { ResultRow } from '../checkpoints/checkpoint.ts';
import type { CheckpointEntry } from '../checkpoints/checkpoint-index.ts';
import { type StoredVersion, storedSteps } from '../linked-version.ts';

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

/** Reads the steps of these versions, each once. */
export async function stepIndex(scope: Scope, entries: readonly StoredVersion[]): Promise<StepIndex> {
  const versions = new Map(entries.map((entry) => [versionName(entry), entry]));
  const loaded = await Promise.all(
    [...versions].map(async ([name, entry]) => {
      // The version of a deleted flow is gone; its results are listed without step names.
      const steps = await storedSteps(scope, entry);
      // A flow that it runs may have steps with the same ids.
      const named = [...walkSteps(steps)].reverse().map(({ step }) => [step.id, step] as const);
      return [name, { steps, byId: new Map(named) }] as const;
    }),
  );
  return new Map(loaded);
}

export const stepIn = (steps: StepIndex, version: StoredVersion, stepId: string) =>
  steps.get(versionName(version))?.byId.get(stepId);

export const referencedStep = (steps: StepIndex, { entry, row }: ResultRef) => stepIn(steps, entry, row[0]);
