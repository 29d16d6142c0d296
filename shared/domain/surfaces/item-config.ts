import * as z from 'zod';
import { parseOrReject } from '../../platform/http/validation.ts';
import type { Surface, SurfaceItem } from './surface/surface.ts';

const McpConfig = z.object({ offeredAs: z.enum(['tool', 'prompt']).optional() });

type ConfigMembers = Record<string, unknown>;

/** @throws 400 for members of the config that surfaces of this type read, and that have other values. */
export function assertItemConfig(type: Surface['type'], changes: ConfigMembers | null | undefined): void {
  if (type !== 'mcp' || !changes) return;
  const kept = Object.entries(changes).filter(([, value]) => value !== null);
  parseOrReject(McpConfig, Object.fromEntries(kept), ['config']);
}

/** Whether an mcp surface offers the item as a prompt, and not as a tool. */
export const isPrompt = ({ config }: SurfaceItem): boolean =>
  McpConfig.safeParse(config ?? {}).data?.offeredAs === 'prompt';
