import type { Ports } from '../../../../shared/flows/ports.ts';
import type { StepOutcome, Variables } from '../../../../shared/flows/step.ts';
import { stepTypeOf } from '../../../../shared/flows/steps/index.ts';
import { renderTemplate } from '../../../../shared/flows/templates.ts';
import { callModel } from '../../../../shared/models/call-model.ts';
import { safeFetch } from '../../../../shared/net/safe-fetch.ts';

interface World {
  variables?: Variables;
  ports?: Partial<Ports>;
  signal?: AbortSignal;
}

/** Runs one step as the engine does, with the real ports; records go nowhere. */
export async function runStep(type: string, config: object, world: World = {}): Promise<StepOutcome> {
  const { variables = {}, ports, signal = new AbortController().signal } = world;
  const stepType = stepTypeOf(type);
  return stepType.run({
    config: stepType.config.parse(config),
    variables,
    render: (template: string) => renderTemplate(template, variables),
    ports: {
      now: () => new Date(),
      model: callModel,
      fetch: safeFetch,
      records: { upsert: async () => ({ id: 'record_01k9m4v7d3x8qz5w2r6t0y1hbn' }) },
      ...ports,
    },
    signal,
  });
}

/** The issues that keep a config from being saved, as `path: message`. */
export function problemsOf(type: string, config: object): string[] {
  const result = stepTypeOf(type).config.safeParse(config);
  return (result.error?.issues ?? []).map(
    (issue: { path: PropertyKey[]; message: string }) => `${issue.path.join('.')}: ${issue.message}`,
  );
}
