import { schemaProblems } from '../../adapters/json-schema/json-schema.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import type { ErrorDetail } from '../../core/errors/errors.ts';

/** Why a schema cannot describe the arguments of a tool. */
export async function findParametersProblems(
  schema: JsonSchema | null | undefined,
  path: PropertyKey[],
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  if (!schema) return [];
  const problems = await schemaProblems(sandbox, schema);
  const isObject = schema.type === undefined || schema.type === 'object';
  const typeProblems = isObject
    ? []
    : [{ path: 'type', message: 'Expected "object": arguments are passed by name' }];
  return [...typeProblems, ...problems].map(({ path: at, message }) => ({
    path: [...path, at].filter((part) => part !== '').join('.'),
    code: 'INVALID_SCHEMA',
    message,
  }));
}
