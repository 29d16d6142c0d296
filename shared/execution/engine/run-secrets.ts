import type { Ports } from '../../adapters/ports/ports.ts';
import type { Variables } from '../../core/variables/variables.ts';
import { secretKeysOfStep, secretKeysOfSteps } from '../../domain/flows/secret-keys.ts';
import type { FlowStep, StepEvent } from '../../domain/flows/steps/step.ts';
import { openSecretValues } from '../step-support/opened-secrets.ts';
import type { StepOutcome } from '../step-support/step-runner.ts';

/** Only a step that references a secret sees its value. External responses and step outputs are redacted for all. */
export interface RunSecrets {
  /** The variables as a step sees them. @throws StepError if a referenced secret has no value. */
  variablesFor: (step: FlowStep, variables: Variables) => Variables;
  /** The same with the versions of the secrets in place of their values; undefined if the step references none. */
  markedFor: (step: FlowStep, variables: Variables) => Variables | undefined;
  ports: Ports;
  outcome: (outcome: StepOutcome) => StepOutcome;
  event: (event: StepEvent) => StepEvent;
  /** The error without secret values in its message. */
  error: (error: unknown) => unknown;
}

/** Undefined if no step references a secret. @throws if the values cannot be read. */
export async function openRunSecrets(
  steps: readonly FlowStep[],
  ports: Ports,
): Promise<RunSecrets | undefined> {
  const keys = secretKeysOfSteps(steps);
  if (keys.length === 0) return undefined;
  const { valuesOf, versionOf, text, json, error, ports: redacted } = await openSecretValues(keys, ports);
  return {
    variablesFor(step, variables) {
      const named = secretKeysOfStep(step);
      return named.length === 0 ? variables : { ...variables, secrets: valuesOf(named) };
    },
    markedFor(step, variables) {
      const named = secretKeysOfStep(step);
      const marks = named.map((key) => [key, `secret ${key} ${versionOf(key)}`]);
      return named.length === 0 ? undefined : { ...variables, secrets: Object.fromEntries(marks) };
    },
    ports: redacted,
    outcome: ({ output, resolvedPrompt, ...facts }) => ({
      ...facts,
      output: json(output),
      ...(resolvedPrompt !== undefined && { resolvedPrompt: text(resolvedPrompt) }),
    }),
    event: (event) => json(event),
    error,
  };
}
