import type { JsonSchema } from './model-port.ts';

/** A tool as its author defined it. */
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

/** The tenant's tools. */
export interface ToolsPort {
  /** By id; without those that do not exist. */
  find: (ids: readonly string[]) => Promise<ReadonlyMap<string, StoredTool>>;
}
