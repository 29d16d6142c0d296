import type { StepOutcome } from '../step-support/step-runner.ts';
import type { StepResult } from './engine.ts';

/** Where a result was taken from: a step result, and its batch or execution. */
export interface ResultSource {
  resultId: string;
  runId: string;
}

/** An outcome that is stored already. It costs nothing again. */
export interface EarlierOutcome extends StepOutcome {
  requestHash: string;
  reusedFrom: ResultSource;
  estimatedCost: '0';
  /** What it cost when it was made: USD as decimal text, null if the price is not known. */
  savedCost: string | null;
}

/** What earlier runs of the flow on the same record have stored. */
export interface EarlierResults {
  /** The result at this path of the run that this one continues, which is taken over as it is. */
  at: (path: string) => StepResult | undefined;
  /** The results of that run in a step, in the order in which they were made. */
  inside: (path: string) => StepResult[];
  /** Of the run that this one continues: whose acts these are, and what its steps have kept. */
  continued?: { identity: string; kept: ReadonlyMap<string, unknown> } | undefined;
  /** The newest completed result of a step whose request has one of these hashes. */
  ofRequest: (stepId: string, hashes: readonly string[]) => Promise<EarlierOutcome | undefined>;
}
