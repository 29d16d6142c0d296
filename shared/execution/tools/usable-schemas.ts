import { createHash } from 'node:crypto';
import { schemaProblems } from '../../adapters/json-schema/json-schema.ts';
import type { Problem } from '../../adapters/json-schema/limits.ts';
import type { JsonSchema } from '../../adapters/model-port.ts';
import type { Ports } from '../../adapters/ports.ts';
import { loadingCache } from '../../core/cache.ts';

const problemsOf = loadingCache<Problem[]>({ entriesMax: 2_000, ttlMs: 3_600_000 });

/** Separates the tools with a schema that providers reject, which would fail the whole request to a model. */
export async function withUsableSchema<T extends { name: string; parameters: JsonSchema }>(
  { sandbox }: Pick<Ports, 'sandbox'>,
  tools: readonly T[],
  signal: AbortSignal,
): Promise<{ usable: T[]; unusable: string[] }> {
  const checked = await Promise.all(
    tools.map(async (tool) => {
      const hash = createHash('sha256').update(JSON.stringify(tool.parameters)).digest('base64');
      return { tool, problems: await problemsOf(hash, () => schemaProblems(sandbox, tool.parameters)) };
    }),
  );
  signal.throwIfAborted();
  return {
    usable: checked.flatMap(({ tool, problems }) => (problems.length === 0 ? [tool] : [])),
    unusable: checked.flatMap(({ tool, problems: [problem] }) =>
      problem ? [`the schema of ${tool.name} is not valid: ${problem.message}`] : [],
    ),
  };
}
