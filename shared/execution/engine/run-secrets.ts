import type { Ports } from '../../adapters/ports.ts';
import { memoise } from '../../core/cache.ts';
import { type Redactor, redactorOf } from '../../core/redaction/redactor.ts';
import { StepError } from '../../core/step-error.ts';
import type { Variables } from '../../core/variables.ts';
import { secretKeysOfStep, secretKeysOfSteps } from '../../domain/flows/secret-keys.ts';
import type { FlowStep, StepEvent } from '../../domain/flows/steps/step.ts';
import type { StepOutcome } from '../step-support/step-runner.ts';
import { redactedPorts } from './secret-ports.ts';

/**
 * The secrets that the steps of a run reference. Only a step that references a secret sees its value. The redactor
 * removes all values of the run from external responses and step outputs.
 */
export interface RunSecrets {
  /** The variables as a step sees them. @throws StepError if a referenced secret has no value. */
  variablesFor: (step: FlowStep, variables: Variables) => Variables;
  ports: Ports;
  outcome: (outcome: StepOutcome) => StepOutcome;
  event: (event: StepEvent) => StepEvent;
  /** The error without secret values in its message. */
  error: (error: unknown) => unknown;
}

/** Undefined if no step references a secret. @throws if the values cannot be read. */
export async function openSecrets(steps: readonly FlowStep[], ports: Ports): Promise<RunSecrets | undefined> {
  const keys = secretKeysOfSteps(steps);
  if (keys.length === 0) return undefined;
  const values = await ports.secrets(keys);
  const redactor = redactorFor(values);
  const { text, json } = redactor;
  return {
    variablesFor(step, variables) {
      const named = secretKeysOfStep(step);
      if (named.length === 0) return variables;
      const missing = named.find((key) => !values.has(key));
      if (missing) throw new StepError(`The secret ${missing} has no value: set it through /v1/secrets`);
      return { ...variables, secrets: Object.fromEntries(named.map((key) => [key, values.get(key)])) };
    },
    ports: redactedPorts(ports, redactor),
    outcome: ({ output, resolvedPrompt, ...facts }) => ({
      ...facts,
      output: json(output),
      ...(resolvedPrompt !== undefined && { resolvedPrompt: text(resolvedPrompt) }),
    }),
    event: (event) => json(event),
    error: (error) => redactedError(error, redactor),
  };
}

function redactedError(error: unknown, { text }: Redactor): unknown {
  if (error instanceof StepError) return new StepError(text(error.message), { retryable: error.retryable });
  if (!(error instanceof Error)) return error;
  const clean = new Error(text(error.message));
  clean.name = error.name;
  clean.stack = text(error.stack ?? '');
  return clean;
}

/** Consecutive runs of a flow share a redactor: building one for long values takes time. */
const latest = memoise((values) => redactorOf(new Map(JSON.parse(values))), { entriesMax: 1 });
const redactorFor = (values: ReadonlyMap<string, string>): Redactor => latest(JSON.stringify([...values]));
