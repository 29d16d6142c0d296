import { type Redactor, redactorOf } from './redactor.ts';

const valuesMax = 200;
const values = new Set<string>();
let redactor: Redactor | undefined;

/** Remembers a value of a secret that this process holds, so that nothing that it writes down has it. */
export function noteValue(value: string): void {
  const isKnown = values.delete(value);
  values.add(value);
  if (isKnown) return;
  redactor = undefined;
  const [oldest] = values;
  if (values.size > valuesMax && oldest !== undefined) values.delete(oldest);
}

/** A text without any of these values. */
export function withoutKnownValues(text: string): string {
  if (values.size === 0) return text;
  redactor ??= redactorOf([...values].map((value) => ['', value]));
  return redactor.text(text);
}
