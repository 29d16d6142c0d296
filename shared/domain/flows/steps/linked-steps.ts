import type { FlowStep } from './step.ts';

/**
 * The steps that a `flow` step runs, and of which flow they are, in the steps of a run. They are no part of the config: under
 * symbols they are neither stored nor shown with it.
 */
export const linkedSteps = Symbol('steps of another flow');
export const linkedFlow = Symbol('another flow');

/** What a `flow` step runs, or why it cannot. */
type LinkedFlow = { id: string; name: string } | { problem: string };

export interface LinkedConfig {
  [linkedSteps]?: FlowStep[];
  [linkedFlow]?: LinkedFlow;
}
