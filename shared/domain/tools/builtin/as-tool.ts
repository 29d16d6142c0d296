import { toBuiltinReference } from '../../flows/steps/tool-reference.ts';
import { type BuiltinTool, schemaOfBuiltin } from './builtin-tool.ts';

/** When the built-in tools came with the service. They have no owner. */
const since = '2026-01-01T00:00:00.000Z';

export const builtinAsTool = (tool: BuiltinTool) => ({
  id: toBuiltinReference(tool.id),
  userId: 'system',
  organizationId: null,
  name: tool.name,
  description: tool.description,
  toolType: 'builtin',
  parametersSchema: schemaOfBuiltin(tool),
  config: { ...tool.defaultConfig },
  isActive: true,
  createdAt: since,
  updatedAt: since,
});
