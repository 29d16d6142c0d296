import { apiDocument, referencePage } from './docs.ts';
import { setupScreen } from './setup.ts';
import type { Site } from './site.ts';

/** Every site of static files, once. The gateway's routes and the files of their Lambda derive from this list. */
export const sites: readonly Site[] = [apiDocument, referencePage, setupScreen];
