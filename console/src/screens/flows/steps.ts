import type { JsonObject } from '../../ui/schema-form/schema.ts';

/** A step as requests contain it. The console knows the members that all types have. */
export interface Step extends JsonObject {
  id: string;
  type: string;
  name: string;
  enabled?: boolean;
  config?: JsonObject;
}

export const newStepId = () => `step-${crypto.randomUUID().slice(0, 8)}`;

/** A list with the step at `from` moved to `to`. */
export function moved(steps: readonly Step[], from: number, to: number): Step[] {
  const step = steps[from];
  return step && to >= 0 && to < steps.length ? steps.toSpliced(from, 1).toSpliced(to, 0, step) : [...steps];
}

/** Without `order`: the place in the list is the order. */
export const asSteps = (sent: readonly object[]): Step[] =>
  sent.map((step) => {
    const { order: _place, ...rest } = step as Step & { order?: number };
    return { ...rest, id: rest.id ?? newStepId() };
  });

/** The names that earlier steps give their results. */
export const outputsOf = (steps: readonly Step[]): string[] =>
  steps.flatMap(({ config }) =>
    Object.entries(config ?? {}).flatMap(([name, value]) =>
      /^outputVariable$|Variable$/.test(name) && typeof value === 'string' && value !== '' ? [value] : [],
    ),
  );
