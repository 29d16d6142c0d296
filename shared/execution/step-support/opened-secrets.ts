import type { Ports } from '../../adapters/ports/ports.ts';
import { memoise } from '../../core/concurrency/cache.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { createRedactor, type Redactor } from '../../core/redaction/redactor.ts';
import { redactedPorts } from './secret-ports.ts';

/** The values of some secrets, and what removes them from everything that leaves the code that uses them. */
export interface OpenedSecrets {
  /** The values of these keys. @throws StepError if one has no value. */
  valuesOf: (keys: readonly string[]) => Record<string, string>;
  ports: Ports;
  text: Redactor['text'];
  json: Redactor['json'];
  /** The error without secret values in its message. */
  error: (error: unknown) => unknown;
}

export interface VersionedSecrets extends OpenedSecrets {
  versionOf: (key: string) => string | undefined;
}

/** @throws if the values cannot be read. */
export async function openSecretValues(keys: readonly string[], ports: Ports): Promise<VersionedSecrets> {
  const secrets = await ports.secrets(keys);
  const opened = openedSecrets(new Map([...secrets].map(([key, { value }]) => [key, value])), ports);
  return { ...opened, versionOf: (key) => secrets.get(key)?.version };
}

export function openedSecrets(values: ReadonlyMap<string, string>, ports: Ports): OpenedSecrets {
  const redactor = redactorFor(values);
  return {
    valuesOf(named) {
      const missing = named.find((key) => !values.has(key));
      if (missing) throw new StepError(`The secret ${missing} has no value: set it through /v1/secrets`);
      return Object.fromEntries(named.map((key) => [key, values.get(key) ?? '']));
    },
    ports: redactedPorts(ports, redactor),
    text: redactor.text,
    json: redactor.json,
    error: (error) => redactedError(error, redactor),
  };
}

function redactedError(error: unknown, { text }: Redactor): unknown {
  if (error instanceof StepError) {
    const { retryable, code, kind, undone } = error;
    return new StepError(text(error.message), { retryable, code, kind, undone });
  }
  if (!(error instanceof Error)) return error;
  const clean = new Error(text(error.message));
  clean.name = error.name;
  clean.stack = text(error.stack ?? '');
  return clean;
}

/** Consecutive runs share a redactor: building one takes time. Four, because tools may have secrets of their own. */
const latest = memoise((values) => createRedactor(new Map(JSON.parse(values))), { entriesMax: 4 });
const redactorFor = (values: ReadonlyMap<string, string>): Redactor => latest(JSON.stringify([...values]));
