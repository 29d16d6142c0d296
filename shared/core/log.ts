import { redactKnownValues } from './redaction/known-values.ts';

const levels = ['info', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

/**
 * Writes one line of JSON to stderr, for CloudWatch and terminals. Never log a body, a key or a secret. `LOG_LEVEL`
 * sets the lowest level.
 */
function write(level: Level, message: string, fields: Record<string, unknown>) {
  if (levels.indexOf(level) < levels.indexOf(process.env.LOG_LEVEL as Level)) return;
  const { error, ...rest } = fields;
  const cause = error instanceof Error ? { error: error.message, stack: error.stack } : error && { error };
  const line = JSON.stringify({ level, message, ...rest, ...(cause as object) });
  process.stderr.write(`${redactKnownValues(line)}\n`);
}

export const log = {
  info: (message: string, fields: Record<string, unknown> = {}) => write('info', message, fields),
  warn: (message: string, fields: Record<string, unknown> = {}) => write('warn', message, fields),
  error: (message: string, fields: Record<string, unknown> = {}) => write('error', message, fields),
};
