import { walkSubschemas } from '../json-schema/subschemas.ts';
import type { JsonSchema } from '../ports/model-port.ts';

const keyword = 'x-mcp-header';

/** RFC 9110, 5.1. */
export const headerName = /^[!#$%&'*+\-.^_`|~\w]+$/;
const types = new Set<unknown>(['string', 'integer', 'boolean']);

/** What is wrong with the headers that a tool's schema demands, in words of ours. A client must not use such a tool. */
export function paramHeadersProblem(schema: JsonSchema): string | undefined {
  const names = new Set<string>();
  for (const { schema: part, path } of walkSubschemas(schema)) {
    if (!(keyword in part)) continue;
    const name = part[keyword];
    if (!isProperty(path)) return `a part of its schema that is no property has an ${keyword}`;
    if (typeof name !== 'string' || !headerName.test(name))
      return `an ${keyword} is not the name of a header`;
    if (!types.has(part.type)) {
      return `an ${keyword} is at a property whose type is not "string", "integer" or "boolean"`;
    }
    if (names.has(name.toLowerCase())) return `two properties have the same ${keyword}`;
    names.add(name.toLowerCase());
  }
  return undefined;
}

/** Whether arguments have exactly one value there: only `properties` lead to it. */
const isProperty = (path: readonly string[]) =>
  path.length > 0 && path.length % 2 === 0 && path.every((key, n) => n % 2 === 1 || key === 'properties');
