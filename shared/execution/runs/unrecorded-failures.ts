import type { StepResult } from '../engine/engine.ts';

/** Failures with which the run ends, or a step around them. Recorded at that end only, since they may be tried again. */
export function openUnrecorded() {
  const results = new Map<string, StepResult>();
  return {
    all: () => [...results.values()],
    add: (result: StepResult) => void results.set(result.path, result),
    /** Those of a step and of the steps in it, which are here no longer. */
    takeAt(path: string): StepResult[] {
      const taken = [...results.values()].filter((result) => `${result.path}.`.startsWith(`${path}.`));
      for (const result of taken) results.delete(result.path);
      return taken;
    },
  };
}
