import type { Ports } from '../../adapters/ports/ports.ts';
import type { Unmasked } from '../../core/redaction/hidden.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';
import type { Variables } from '../../core/variables/variables.ts';
import { secretKeysOfStep, secretKeysOfSteps } from '../../domain/flows/secret-keys.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import type { FlowStep, StepEvent } from '../../domain/flows/steps/step.ts';
import { type NamedSecrets, openedValues, openMasks } from '../step-support/masks.ts';
import type { StepOutcome, StepRun } from '../step-support/step-runner.ts';

/** Only a step that names a secret sees its value. All that a run shows is without the values that it has opened. */
export interface RunSecrets {
  ports: Ports;
  /** The variables as a step sees them. @throws StepError if a secret that it names has no value. */
  variablesFor: (step: FlowStep, variables: Variables) => Variables;
  /** The same with the versions of the secrets in place of their values; undefined if the step names none. */
  markedFor: (step: FlowStep, variables: Variables) => Variables | undefined;
  outcome: (step: FlowStep, outcome: StepOutcome) => StepOutcome;
  /** Masks events. Text that may be the beginning of a value is held back until the next piece, or the end of its text. */
  emitter: (step: FlowStep, emit: NonNullable<Emit>) => NonNullable<Emit>;
  /** The error without values in its message. */
  error: (step: FlowStep, error: unknown) => unknown;
  /** Opens secrets that an earlier attempt of the run had opened, so that their values stay masked. */
  reopen: (keys: readonly string[]) => Promise<void>;
  /** What a step keeps for when the run resumes, if that has values of secrets. */
  keptSealed: (value: unknown) => Unmasked;
}

type Emit = StepRun<unknown>['emit'];

/** @throws if the values cannot be read. */
export async function openRunSecrets(steps: readonly FlowStep[], ports: Ports): Promise<RunSecrets> {
  const masks = openMasks(ports);
  const all = secretKeysOfSteps(steps);
  const opened = all.length > 0 ? await masks.ports.secrets(all) : new Map<string, never>();
  return {
    ports: masks.ports,
    variablesFor(step, variables) {
      const { own } = namedBy(step);
      return own.length === 0 ? variables : { ...variables, secrets: openedValues(opened, own) };
    },
    markedFor(step, variables) {
      const { own } = namedBy(step);
      const marks = own.map((key) => [key, `secret ${key} ${opened.get(key)?.version}`]);
      return own.length === 0 ? undefined : { ...variables, secrets: Object.fromEntries(marks) };
    },
    outcome(step, outcome) {
      if (!masks.hasAny()) return outcome;
      const { resolvedPrompt, ...masked } = masks.outcome(outcome, namedBy(step));
      const prompt = resolvedPrompt && masks.redactor(namedBy(step)).text(resolvedPrompt);
      return { ...masked, ...(prompt !== undefined && { resolvedPrompt: prompt }) };
    },
    emitter: (step, emit) =>
      maskedEmit(() => (masks.hasAny() ? masks.redactor(namedBy(step)) : undefined), emit),
    error: (step, error) => masks.error(error, { ...namedBy(step), use: 'text' }),
    async reopen(keys) {
      const closed = keys.filter((key) => !masks.keys().includes(key));
      if (closed.length > 0) await masks.ports.secrets(closed);
    },
    keptSealed: (value) => {
      const { unmasked } = masks.outcome({ output: value }, { keys: masks.keys(), use: 'text' }) as Unmasked;
      return unmasked ? { unmasked } : {};
    },
  };
}

interface SecretsOfStep extends NamedSecrets {
  /** Without those of the steps in it, whose outputs are part of its own. */
  own: readonly string[];
}

/** Kept, since a step runs for every record. */
function namedBy(step: FlowStep): SecretsOfStep {
  const known = named.get(step) ?? {
    keys: secretKeysOfSteps([step]),
    own: secretKeysOfStep(step),
    use: getStepType(step.type).takesSecrets || 'text',
  };
  named.set(step, known);
  return known;
}
const named = new WeakMap<FlowStep, SecretsOfStep>();

/** The texts whose pieces are events, with the event that ends each. */
const ends = {
  text_delta: 'text_complete',
  reasoning_delta: 'reasoning_complete',
  tool_input_delta: 'tool_input_complete',
  tool_output_delta: 'tool_complete',
} as const;

type Delta = Extract<StepEvent, { delta: string }>;
const isDelta = (event: StepEvent): event is Delta => event.type in ends;
const callIn = (event: StepEvent) => ('toolCallId' in event ? event.toolCallId : '');

function maskedEmit(redactorNow: () => Redactor | undefined, emit: NonNullable<Emit>): NonNullable<Emit> {
  const open = new Map<string, { last: Delta; pieces: ReturnType<Redactor['stream']> }>();
  const send = (event: Delta, delta: string) => (delta === '' ? undefined : emit({ ...event, delta }));
  return async (event) => {
    if (isDelta(event)) {
      const name = `${ends[event.type]} ${callIn(event)}`;
      const redactor = redactorNow();
      const pieces = open.get(name)?.pieces ?? redactor?.stream();
      if (!pieces) return emit(event);
      open.set(name, { last: event, pieces });
      return send(event, pieces.push(event.delta));
    }
    const name = `${event.type} ${callIn(event)}`;
    const ended = open.get(name);
    open.delete(name);
    if (ended) await send(ended.last, ended.pieces.end());
    const redactor = redactorNow();
    return emit(redactor ? redactor.json(event) : event);
  };
}
