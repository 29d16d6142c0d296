import { advisorTool } from './advisor.ts';
import { getToolType, toolTypeNames } from './index.ts';
import { searchTool } from './search.ts';
import type { ToolType } from './tool-type.ts';

/** Types of tools that only the config of an agent may define. They cannot be stored. */
const runtimeOnlyTypes = { advisor: advisorTool, search: searchTool } satisfies Record<string, ToolType>;
export type RuntimeOnlyTypeName = keyof typeof runtimeOnlyTypes;

/** The type of a tool that is defined inline; undefined if there is none of this name. */
export function findRuntimeType(name: string): ToolType | undefined {
  if (Object.hasOwn(runtimeOnlyTypes, name)) return runtimeOnlyTypes[name as RuntimeOnlyTypeName];
  return toolTypeNames.some((typeName) => typeName === name) ? getToolType(name) : undefined;
}

export const runtimeConfigProblems = (
  type: ToolType,
  config: Record<string, unknown>,
): { path: string; message: string }[] =>
  (type.config.safeParse(config).error?.issues ?? []).map(({ path, message }) => ({
    path: ['config', ...path].join('.'),
    message,
  }));
