import { isDeeperThan } from '../../core/json/nesting.ts';
import type { JsonSchema } from '../ports/model-port.ts';

/** What is wrong, and where: a dotted path into the value or the schema, empty for the whole. */
export interface ValueProblem {
  path: string;
  message: string;
}

export const schemaCharactersMax = 65_536;
export const schemaLevelsMax = 40;
/** Compiling takes about 0.1 ms for each. */
export const subschemasMax = 500;

/** The CPU time for one check, and for the compilation of a schema. */
export const checkMsMax = 100;

/** Checked before a schema reaches a thread. */
export function schemaSizeProblem(schema: JsonSchema): ValueProblem | undefined {
  if (isDeeperThan(schemaLevelsMax, schema)) {
    return { path: '', message: `A schema is nested at most ${schemaLevelsMax} levels deep` };
  }
  if (JSON.stringify(schema).length <= schemaCharactersMax) return undefined;
  return { path: '', message: `A schema has at most ${schemaCharactersMax} characters of JSON` };
}
