import type { BuiltinTool } from './builtin-tool.ts';
import { dateTimeTool } from './date-time.ts';

/** All built-in tools by id. To add one, add a file here, a line below, and its runner in `execution/tools/builtin`. */
export const builtinTools = {
  'date-time': dateTimeTool,
} satisfies Record<string, BuiltinTool>;

export type BuiltinToolId = keyof typeof builtinTools;

export const builtinToolOf = (id: string): BuiltinTool | undefined =>
  Object.hasOwn(builtinTools, id) ? builtinTools[id as BuiltinToolId] : undefined;
