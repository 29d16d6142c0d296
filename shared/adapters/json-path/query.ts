import { type JsonValue, query } from 'jsonpath-rfc9535';

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
    const all = query(data as JsonValue, path);
    return { values: all.slice(0, limit), count: all.length };
  } catch (error) {
    return { problem: (error as Error).message.split('\n', 1)[0] ?? '' };
  }
}
