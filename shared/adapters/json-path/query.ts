import { JSONPathEnvironment, JSONPathError, type JSONValue } from 'json-p3';
import { nestingLevelsMax } from '../../core/json/nesting.ts';

/** The library's own limit of 50 levels is lower than that of JSON here. */
const environment = new JSONPathEnvironment({ maxRecursionDepth: nestingLevelsMax + 2 });

/** The values that a JSONPath query (RFC 9535) selects, and how many there are. Runs in a thread of the sandbox. */
export function queryJson({
  data,
  path,
  limit,
}: {
  data: unknown;
  path: string;
  limit: number;
}): { values: unknown[]; count: number } | { problem: string } {
  try {
    const all = environment.query(path, data as JSONValue).values();
    return { values: all.slice(0, limit), count: all.length };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

/** The library ends its message with a part of the query and the offset: `expected '$', found 'x' ('x':0)`. */
function problemOf(error: unknown): string {
  const [message = ''] = (error as Error).message.split('\n', 1);
  if (!(error instanceof JSONPathError)) return message;
  const words = message.replace(/ \('.*':\d+\)$/s, '').replace(/ +/g, ' ');
  return `${words} (at character ${error.token.index + 1})`;
}
