import type { JsonSchema } from './model-port.ts';

export interface ToolDefinition {
  name: string;
  description: string;
  toolType: string;
  parametersSchema: JsonSchema;
  config: Record<string, unknown>;
}

export interface StoredTool extends ToolDefinition {
  id: string;
  isActive: boolean;
}

export interface ToolsPort {
  /** By id; without those that do not exist. */
  find: (ids: readonly string[]) => Promise<ReadonlyMap<string, StoredTool>>;
}
