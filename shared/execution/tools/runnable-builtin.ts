import type { Ports } from '../../adapters/ports/ports.ts';
import { type BuiltinTool, schemaOfBuiltin } from '../../domain/tools/builtin/builtin-tool.ts';
import { loadBuiltinRunner } from './builtin/index.ts';
import { ArgumentsError, checkArguments, toolOutcome } from './checked-call.ts';
import { ownArguments } from './own-arguments.ts';
import type { RunnableTool } from './runnable-tool.ts';
import { toToolName } from './tool-name.ts';

export function runnableBuiltin(ports: Ports, id: string, tool: BuiltinTool): RunnableTool {
  const name = toToolName(tool.id);
  const parameters = schemaOfBuiltin(tool);

  /** Our own declaration needs no sandbox. Its JSON Schema says what does not fit in the words of all tools. */
  async function parsed(args: unknown, signal: AbortSignal) {
    const { data, error } = ownArguments(tool.parameters, args);
    if (!error) return data;
    await checkArguments(ports, { name, parameters }, args, signal);
    // A schema in JSON cannot express every rule of the declaration.
    const problems = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    throw new ArgumentsError(name, problems);
  }

  return {
    id,
    name,
    description: tool.description,
    parameters,
    type: 'builtin',
    repeatable: tool.repeatable,
    async plan(given, signal) {
      const args = await parsed(given, signal);
      return {
        request: { toolId: id, arguments: args },
        perform: () =>
          toolOutcome(name, async () => (await loadBuiltinRunner(tool.id)).perform(args, { ports, signal })),
      };
    },
    preview: async (args, signal) => ({ toolId: id, arguments: await parsed(args, signal) }),
  };
}
