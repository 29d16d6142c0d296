import { getLogFields } from './invocation.ts';
import { isCredentialName, redactCredentials } from './redaction/credentials.ts';
import { redactKnownValues } from './redaction/known-values.ts';

const levels = ['info', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

/** With the fields of the invocation. Never log a body, a key or a secret; what looks like one is redacted. */
function write(level: Level, message: string, fields: Record<string, unknown>) {
  if (levels.indexOf(level) < levels.indexOf(process.env.LOG_LEVEL as Level)) return;
  const { error, ...rest } = fields;
  const cause = error instanceof Error ? { error: error.message, stack: error.stack } : error && { error };
  const line = { level, message, ...getLogFields(), ...rest, ...(cause as object) };
  process.stderr.write(`${redactKnownValues(JSON.stringify(line, hideCredential))}\n`);
}

/** Before JSON escapes a text: after `\\n`, a credential would begin within a word. */
function hideCredential(name: string, value: unknown): unknown {
  if (value !== null && value !== undefined && isCredentialName(name)) return '[redacted]';
  return typeof value === 'string' ? redactCredentials(value) : value;
}

export const log = {
  info: (message: string, fields: Record<string, unknown> = {}) => write('info', message, fields),
  warn: (message: string, fields: Record<string, unknown> = {}) => write('warn', message, fields),
  error: (message: string, fields: Record<string, unknown> = {}) => write('error', message, fields),
};
