import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { listBuiltinTools } from './builtin.ts';
import { listCompatibleTools } from './builtin-compatible.ts';
import { getBuiltinSchema } from './builtin-schema.ts';
import { createTool } from './create.ts';
import { deleteTool } from './delete.ts';
import { getTool } from './get.ts';
import { listTools } from './list.ts';
import { getToolSchemas } from './schema.ts';
import { updateTool } from './update.ts';

export const toolsGroup = {
  description:
    'Functions that flows and models call: flows, scripts, HTTP and GraphQL requests, tools of MCP servers, tools that the caller executes, and built-in ones.',
  endpoints: [
    listTools,
    createTool,
    getToolSchemas,
    listBuiltinTools,
    listCompatibleTools,
    getBuiltinSchema,
    getTool,
    updateTool,
    deleteTool,
  ],
} as const satisfies EndpointGroup;
