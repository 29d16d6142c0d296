import * as z from 'zod';

/** How often a message found no place of the tenant. */
const waits = z.int().optional();

/** Asks for an attempt of a delivery. */
export const DeliveryMessage = z.object({ tenant: z.string(), surfaceId: z.string(), id: z.string(), waits });
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/** Asks for the export of the run of an id. */
export const ExportMessage = z.object({ tenant: z.string(), id: z.string(), to: z.string(), waits });
export type ExportMessage = z.infer<typeof ExportMessage>;
