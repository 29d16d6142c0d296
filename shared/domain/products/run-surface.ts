import * as z from 'zod';
import type { Surface } from './surface.ts';
import { webhookEvents } from './webhook-events.ts';

/** The surface whose call started a run. */
export const RunSurface = z.object({
  type: z.string(),
  productId: z.string(),
  surfaceId: z.string(),
  /** The events that its webhook took when the call began. Missing if it had none. */
  notifies: z.array(z.enum(webhookEvents)).optional(),
});
export type RunSurface = z.infer<typeof RunSurface>;

export function runSurfaceOf({ type, productId, id: surfaceId, outbound }: Surface): RunSurface {
  const { webhook } = outbound;
  return { type, productId, surfaceId, ...(webhook && { notifies: webhook.events ?? [...webhookEvents] }) };
}
