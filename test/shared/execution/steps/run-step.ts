import { safeFetch } from '../../../../shared/adapters/net/safe-fetch.ts';
import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import { createFiller } from '../../../../shared/adapters/templates/filler.ts';
import type { Variables } from '../../../../shared/core/variables.ts';
import { findTextProblems } from '../../../../shared/domain/flows/checking/flow-steps.ts';
import { getStepType } from '../../../../shared/domain/flows/step-types/index.ts';
import type { StepEvent } from '../../../../shared/domain/flows/steps/step.ts';
import { type ModelMeter, openMeter } from '../../../../shared/execution/model-calls/pipeline.ts';
import type {
  AwaitsCaller,
  StepOutcome,
  StepRun,
  Suspended,
} from '../../../../shared/execution/step-support/step-runner.ts';
import { loadStepRunner } from '../../../../shared/execution/steps/index.ts';
import { testSandbox } from '../../../support/flows/sandbox.ts';
import { liveModels } from '../../../support/models/model-ports.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';

interface World {
  variables?: Variables;
  ports?: Partial<Ports>;
  signal?: AbortSignal;
  emit?: (event: StepEvent) => void;
}

/** Acts at once, and keeps nothing. */
export const actsOnce: Pick<StepRun<unknown>, 'act' | 'turns'> = {
  act: (_request, work) => work('call_01k9m4v7d3x8qz5w2r6t0y1hbn'),
  turns: { earlier: () => undefined, keep: async () => {} },
};

/** Runs one step as the engine does, with the real model and network. */
export async function runStep(
  type: string,
  config: object,
  world: World = {},
): Promise<StepOutcome & ReturnType<ModelMeter['facts']>> {
  const { variables = {}, ports, signal = new AbortController().signal, emit } = world;
  const stepType = getStepType(type);
  const meter = openMeter({ ...emptyWorld, model: liveModels.model, fetch: safeFetch, ...ports });
  const step = {
    config: stepType.config.parse(config),
    variables,
    ...createFiller(variables, testSandbox),
    ports: meter.ports,
    signal,
    since: new Date(),
    place: () => ({ path: '0', stepId: 'step', stepName: 'step', stepPath: 'step' }),
    ...actsOnce,
    emit,
  };
  const runner = await loadStepRunner(type);
  if ('hold' in runner) throw new TypeError('A step that holds steps runs in the engine alone');
  const outcome: StepOutcome | Suspended | AwaitsCaller =
    'run' in runner ? await runner.run(step) : await runner.perform((await runner.plan(step)).request, step);
  if ('until' in outcome) throw new Error(`The step waits until ${outcome.until.toISOString()}`);
  if ('awaitsCaller' in outcome) throw new Error('The step waits for the caller');
  return { ...outcome, ...meter.facts() };
}

/** The issues that keep a config from being saved, as `path: message`. */
export async function configProblems(type: string, config: object): Promise<string[]> {
  const { error } = getStepType(type).config.safeParse(config);
  const issues: { path: PropertyKey[]; message: string }[] = error?.issues ?? [];
  const refused = issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  if (refused.length > 0) return refused;
  const unparsed = await findTextProblems([{ type, name: 'step', config }], [], testSandbox);
  return unparsed.map(({ path = '', message }) => `${path.replace('0.config.', '')}: ${message}`);
}
