import * as z from 'zod';

/** Sent by EventBridge Scheduler: a schedule may be due. */
export const FireMessage = z.object({ tenant: z.string(), scheduleId: z.string() });
