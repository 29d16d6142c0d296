import { useMemo } from 'react';
import { useCall, usePages } from '../../../api/queries.ts';
import { effectOfBuiltin, effectOfId, effectOfType, type ToolEffect } from './tool-effects.ts';

export interface KnownTool {
  id: string;
  name: string;
  description: string | null;
  effect: ToolEffect | undefined;
}

/** The tools of the tenant and those that are built in, by the ids that agents use. */
export function useKnownTools() {
  const builtin = useCall('tools.builtin');
  const stored = usePages('tools.list', {}, { limit: 100 });
  const knownTools = useMemo(
    (): KnownTool[] => [
      ...(stored.rows ?? []).map(({ id, name, description, toolType }) => ({
        id,
        name,
        description,
        effect: effectOfType(toolType),
      })),
      ...(builtin.data?.data ?? []).map(({ id, name, description, effects }) => ({
        id: `builtin:${id}`,
        name,
        description,
        effect: effectOfBuiltin(effects),
      })),
    ],
    [stored.rows, builtin.data],
  );
  const { hasNextPage, fetchNextPage } = stored;
  return { known: knownTools, error: builtin.error ?? stored.error, hasNextPage, fetchNextPage };
}

/** Also of a tool that is in no list: of an MCP server, or on a page that was not read. */
export const knownTool = (knownTools: readonly KnownTool[], id: string): KnownTool =>
  knownTools.find((tool) => tool.id === id) ?? { id, name: id, description: null, effect: effectOfId(id) };
