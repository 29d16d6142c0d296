import type { BuiltinTool } from './builtin-tool.ts';
import { calculatorTool } from './calculator.ts';
import { codeSandboxTool } from './code-sandbox.ts';
import { dateTimeTool } from './date-time.ts';
import { fetchUrlTool } from './fetch-url.ts';
import { jsonQueryTool } from './json-query.ts';
import { recordSearchTool } from './record-search.ts';
import { recordUpsertTool } from './record-upsert.ts';
import { sendEmailTool } from './send-email.ts';
import { vectorSearchTool } from './vector-search.ts';
import { webSearchTool } from './web-search.ts';

/** All built-in tools by id. To add one, add a file here, a line below, and its runner in `execution/tools/builtin`. */
export const builtinTools = {
  'web-search': webSearchTool,
  'fetch-url': fetchUrlTool,
  'code-sandbox': codeSandboxTool,
  'date-time': dateTimeTool,
  calculator: calculatorTool,
  'json-query': jsonQueryTool,
  'record-search': recordSearchTool,
  'record-upsert': recordUpsertTool,
  'vector-search': vectorSearchTool,
  'send-email': sendEmailTool,
} satisfies Record<string, BuiltinTool>;

export type BuiltinToolId = keyof typeof builtinTools;

export const findBuiltinTool = (id: string): BuiltinTool | undefined =>
  Object.hasOwn(builtinTools, id) ? builtinTools[id as BuiltinToolId] : undefined;
