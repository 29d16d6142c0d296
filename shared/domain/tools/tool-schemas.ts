import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { responseBytesMax, takeWithinBytes } from '../../platform/http/responses/body-sizes.ts';
import { readBuiltinId } from '../flows/steps/tool-reference.ts';
import { builtinAsTool } from './builtin/as-tool.ts';
import { findBuiltinTool } from './builtin/index.ts';
import { toolStore } from './tool-store.ts';

/** What a model needs to call tools: of these ids, or of the newest active ones. */
export const toolSchemas = /* @__PURE__ */ using([toolStore], (scope: Scope) => {
  const tools = toolStore(scope);

  async function listNewestActive(max: number): Promise<string[]> {
    const page = await tools.list({ limit: max, isActive: 'true' });
    return page.tools.map(({ id }) => id);
  }

  return async (requested: readonly string[] | undefined, max: number) => {
    const ids = requested ?? (await listNewestActive(max));
    const stored = new Map(
      (await tools.getMany(ids.filter((id) => readBuiltinId(id) === undefined))).map((tool) => [
        tool.id,
        tool,
      ]),
    );
    const found = ids.flatMap((id) => {
      const builtin = findBuiltinTool(readBuiltinId(id) ?? '');
      const tool = builtin ? builtinAsTool(builtin) : stored.get(id);
      if (!tool) return [];
      const { name, description, toolType, parametersSchema } = tool;
      return [{ id, name, description, toolType, parametersSchema }];
    });
    return takeWithinBytes(found, responseBytesMax);
  };
});
