import { type Redactor, redactorOf } from './redactor.ts';

/** A value has some twenty forms of its length, and each is looked for by itself. */
const charactersMax = 100_000;
const valuesMax = 500;
const keptMs = 600_000;

interface Known {
  redactor: Redactor;
  until: number;
}
/** By their values, the latest last. Each has its own redactor, so that a new one is no work for the others. */
const known = new Map<string, Known>();
let characters = 0;

/** Remembers a value of a secret that this process holds, so that nothing that it writes down has it. */
export function rememberSecretValue(value: string): void {
  const redactor = known.get(value)?.redactor ?? redactorOf([['', value]]);
  forget(value);
  known.set(value, { redactor, until: Date.now() + keptMs });
  characters += value.length;
  for (const [oldest, { until }] of known) {
    if (known.size <= valuesMax && characters <= charactersMax && until > Date.now()) break;
    forget(oldest);
  }
}

function forget(value: string): void {
  if (known.delete(value)) characters -= value.length;
}

/** A text without any of these values. */
export const redactKnownValues = (text: string): string =>
  [...known.values()].reduce((left, { redactor }) => redactor.text(left), text);
