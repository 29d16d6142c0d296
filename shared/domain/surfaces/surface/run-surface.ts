import * as z from 'zod';
import type { Surface } from './surface.ts';
import { webhookEvents } from './webhook-events.ts';

export const RunSurface = z.object({
  type: z.string(),
  productId: z.string(),
  surfaceId: z.string(),
  /** The events that its webhook took when the call began. Missing if it had none, and nobody else is told. */
  notifies: z.array(z.enum(webhookEvents)).optional(),
  /** The task that the run is, of an a2a surface. */
  taskId: z.string().optional(),
  /** How many runs are above the one that the call started, by `getCallDepth`. Missing if none is. */
  depth: z.int().optional(),
});
export type RunSurface = z.infer<typeof RunSurface>;

export interface RunTask {
  id: string;
  /** Whether its caller is told how it ends, also if its process crashes. */
  isWatched: boolean;
}

export function toRunSurface(
  { type, productId, id: surfaceId, outbound }: Surface,
  depth = 0,
  task?: RunTask,
): RunSurface {
  const { webhook } = outbound;
  const events = webhook ? (webhook.events ?? [...webhookEvents]) : task?.isWatched ? [] : undefined;
  return {
    type,
    productId,
    surfaceId,
    ...(events && { notifies: events }),
    ...(task && { taskId: task.id }),
    ...(depth > 0 && { depth }),
  };
}
