type Level = 'info' | 'warn' | 'error';

/** One line of JSON on stderr, which CloudWatch and a terminal both read. Never give it a body, a key or a secret. */
function write(level: Level, message: string, fields: Record<string, unknown>) {
  const { error, ...rest } = fields;
  const cause = error instanceof Error ? { error: error.message, stack: error.stack } : error && { error };
  process.stderr.write(`${JSON.stringify({ level, message, ...rest, ...(cause as object) })}\n`);
}

export const log = {
  info: (message: string, fields: Record<string, unknown> = {}) => write('info', message, fields),
  warn: (message: string, fields: Record<string, unknown> = {}) => write('warn', message, fields),
  error: (message: string, fields: Record<string, unknown> = {}) => write('error', message, fields),
};
