import type { Ports } from '../../../../shared/flows/ports.ts';
import type { Parked, StepEvent, StepOutcome, Variables } from '../../../../shared/flows/step.ts';
import { stepTypeOf } from '../../../../shared/flows/steps/index.ts';
import { renderTemplate } from '../../../../shared/flows/templates.ts';
import { callModel } from '../../../../shared/models/call-model.ts';
import { safeFetch } from '../../../../shared/net/safe-fetch.ts';
import { emptyWorld } from '../../../support/ports.ts';

interface World {
  variables?: Variables;
  ports?: Partial<Ports>;
  signal?: AbortSignal;
  emit?: (event: StepEvent) => void;
}

/** Runs one step as the engine does, with the real model and network. */
export async function runStep(type: string, config: object, world: World = {}): Promise<StepOutcome> {
  const { variables = {}, ports, signal = new AbortController().signal, emit } = world;
  const stepType = stepTypeOf(type);
  const outcome: StepOutcome | Parked = await stepType.run({
    config: stepType.config.parse(config),
    variables,
    render: (template: string) => renderTemplate(template, variables),
    ports: { ...emptyWorld, model: callModel, fetch: safeFetch, ...ports },
    signal,
    since: new Date(),
    emit,
  });
  if ('until' in outcome) throw new Error(`The step waits until ${outcome.until.toISOString()}`);
  return outcome;
}

/** The issues that keep a config from being saved, as `path: message`. */
export function problemsOf(type: string, config: object): string[] {
  const result = stepTypeOf(type).config.safeParse(config);
  return (result.error?.issues ?? []).map(
    (issue: { path: PropertyKey[]; message: string }) => `${issue.path.join('.')}: ${issue.message}`,
  );
}
