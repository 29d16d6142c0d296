import type { HeldListKey } from '../steps/lists.ts';
import type { Step } from '../steps/steps.ts';
import type { Findings } from './findings.ts';

export interface StepsEditorProps {
  label: string;
  steps: readonly Step[];
  /** @param what Names an edit that continues the one before, as typing does. */
  onChange: (steps: readonly Step[], what?: string) => void;
  /** Where the list stands in the body of the flow: `flowSteps`. */
  path: string;
  findings: Findings;
  /** Names that are known before the first of these steps. */
  known: readonly string[];
  /** Of the step that holds the list. Absent for the steps of the flow itself. */
  within?: HeldListKey;
}
