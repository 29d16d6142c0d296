interface SentTool {
  toolType: unknown;
  config: Record<string, unknown>;
  /** Within the step. */
  path: PropertyKey[];
}

/** The runtime tools of a config as a caller sent it, which may be partly invalid. */
export function listRuntimeTools({ tools }: Record<string, unknown>): SentTool[] {
  const { runtimeTools } = (tools ?? {}) as { runtimeTools?: unknown };
  const list: unknown[] = Array.isArray(runtimeTools) ? runtimeTools : [];
  return list.map((tool, index) => {
    const { toolType, config } = (tool ?? {}) as { toolType?: unknown; config?: unknown };
    const path = ['config', 'tools', 'runtimeTools', index];
    return { toolType, config: typeof config === 'object' ? { ...config } : {}, path };
  });
}

export function findToolTarget({ toolType, config, path }: SentTool) {
  const [kind, member] =
    toolType === 'flow' ? (['flow', 'flowId'] as const) : (['agent', 'agentId'] as const);
  const id = config[member];
  if ((toolType !== 'flow' && toolType !== 'subagent') || typeof id !== 'string') return undefined;
  return { kind, id, path: [...path, 'config', member] };
}
