import { schemaProblems } from '../../adapters/json-schema/json-schema.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';

/** Separates the tools with a schema that providers reject, which would fail the whole request to a model. */
export async function filterUsableSchemas<T extends { name: string; parameters: JsonSchema }>(
  { sandbox }: Pick<Ports, 'sandbox'>,
  tools: readonly T[],
  signal: AbortSignal,
): Promise<{ usable: T[]; unusable: string[] }> {
  const checked = await Promise.all(
    tools.map(async (tool) => ({
      tool,
      problems: await schemaProblems(sandbox, tool.parameters, { signal }),
    })),
  );
  return {
    usable: checked.flatMap(({ tool, problems }) => (problems.length === 0 ? [tool] : [])),
    unusable: checked.flatMap(({ tool, problems: [problem] }) =>
      problem ? [`the schema of ${tool.name} is not valid: ${problem.message}`] : [],
    ),
  };
}
