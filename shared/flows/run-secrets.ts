import { type Redactor, redactorOf } from '../secrets/redactor.ts';
import type { ModelRequest, Ports } from './ports.ts';
import { keysOfStep, keysOfSteps, type SentStep } from './secret-keys.ts';
import { type FlowStep, StepError, type StepEvent, type StepOutcome, type Variables } from './step.ts';

/**
 * The secrets that the steps of a run name. A step that names one has its value while it works, and nobody else:
 * what comes back from outside and what a step gives passes the redactor, which knows all values of the run.
 */
export interface RunSecrets {
  /** The variables as a step sees them. @throws StepError where a secret that it names has no value. */
  variablesFor: (step: SentStep, variables: Variables) => Variables;
  ports: Ports;
  outcome: (outcome: StepOutcome) => StepOutcome;
  event: (event: StepEvent) => StepEvent;
  /** What was thrown, without values in its words. */
  error: (error: unknown) => unknown;
}

/** Nothing where the steps name no secret, which costs nothing. @throws when the values cannot be read. */
export async function openSecrets(steps: readonly FlowStep[], ports: Ports): Promise<RunSecrets | undefined> {
  const keys = keysOfSteps(steps);
  if (keys.length === 0) return undefined;
  const values = await ports.secrets(keys);
  const redactor = redactorOf(values);
  const { text, json } = redactor;
  return {
    variablesFor(step, variables) {
      const named = keysOfStep(step);
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

/** What comes back is without values before a step sees it: it may cut a text in the middle of one. */
function redactedPorts(ports: Ports, { text, json, stream }: Redactor): Ports {
  return {
    ...ports,
    async fetch(request) {
      const answer = await ports.fetch(request);
      const clean = text(answer.text);
      return {
        ...answer,
        url: text(answer.url),
        headers: json(answer.headers),
        ...(clean !== answer.text && { text: clean, bytes: Buffer.from(clean) }),
      };
    },
    async model({ onText, ...request }: ModelRequest) {
      const pieces = stream();
      const tell = (piece: string) => piece && onText?.(piece);
      const listening = onText && { onText: (piece: string) => void tell(pieces.push(piece)) };
      const answer = await ports.model({ ...request, ...listening });
      tell(pieces.end());
      return { ...answer, text: text(answer.text) };
    },
  };
}

function redactedError(error: unknown, { cut }: Redactor): unknown {
  if (error instanceof StepError) return new StepError(cut(error.message), { retryable: error.retryable });
  if (!(error instanceof Error)) return error;
  const clean = new Error(cut(error.message));
  clean.name = error.name;
  clean.stack = cut(error.stack ?? '');
  return clean;
}
