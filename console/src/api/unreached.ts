import { uiTexts } from '../texts/ui.ts';

/** Browsers have words of their own for a service that does not respond: `Failed to fetch`. What was aborted stays so. */
export function unreached(error: unknown): never {
  throw error instanceof TypeError ? new Error(uiTexts.serviceNotReached, { cause: error }) : error;
}
