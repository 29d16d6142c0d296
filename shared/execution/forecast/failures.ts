import type { FlowStep } from '../../domain/flows/steps/step.ts';

/** Steps that fail on sampled records, so that nothing after them costs anything. */
export function openFailures() {
  const failed = new Map<string, { name: string; error: string; count: number }>();
  return {
    note({ id, name }: FlowStep, error: string): void {
      const { count } = failed.get(id) ?? { count: 0 };
      failed.set(id, { name, error, count: count + 1 });
    },
    notes: (sampled: number): string[] =>
      [...failed.values()].map(
        ({ name, error, count }) =>
          `The step "${name}" fails on ${count} of ${sampled} sampled records: ${error}`,
      ),
  };
}
