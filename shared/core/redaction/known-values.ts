import { createRedactor, type Redactor } from './redactor.ts';

/** Each value has about twenty encoded forms, each of which is searched for. */
const charactersMax = 100_000;
const valuesMax = 500;
const keptMs = 600_000;

interface Known {
  redactor: Redactor;
  until: number;
}
/** By value, most recent last. Each value has its own redactor, so that adding one does not rebuild the others. */
const values = new Map<string, Known>();
let characters = 0;

/** Registers a secret value that this process holds, so that the log omits it. */
export function rememberSecretValue(value: string): void {
  const redactor = values.get(value)?.redactor ?? createRedactor([['', value]]);
  forget(value);
  values.set(value, { redactor, until: performance.now() + keptMs });
  characters += value.length;
  for (const [oldest, { until }] of values) {
    if (values.size <= valuesMax && characters <= charactersMax && until > performance.now()) break;
    forget(oldest);
  }
}

function forget(value: string): void {
  if (values.delete(value)) characters -= value.length;
}

export const redactKnownValues = (text: string): string =>
  [...values.values()].reduce((left, { redactor }) => redactor.text(left), text);
