import type { FlowStep } from '../../domain/flows/steps/step.ts';

/** Steps that fail on sampled records, so that nothing after them costs anything. */
export function openFailures() {
  const failed = new Map<string, { name: string; error: string; records: Set<string> }>();
  return {
    note({ id, name }: FlowStep, error: string, recordId: string): void {
      const { records } = failed.get(id) ?? { records: new Set<string>() };
      failed.set(id, { name, error, records: records.add(recordId) });
    },
    notes: (sampled: number): string[] =>
      [...failed.values()].map(
        ({ name, error, records }) =>
          `The step "${name}" fails on ${records.size} of ${sampled} sampled records: ${error}`,
      ),
  };
}
