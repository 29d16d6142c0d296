import { fileURLToPath } from 'node:url';
import { decisionsIndex } from './decisions-index.ts';
import { eventsDocument } from './events.ts';
import { limitsDocument } from './limits.ts';
import { tourDocument } from './tour.ts';

export const root = new URL('../../', import.meta.url);
const folder = fileURLToPath(root);

/** The documents that are generated, by their path. */
export const generated: Record<string, () => string | Promise<string>> = {
  'docs/decisions/README.md': () => decisionsIndex(folder),
  'docs/events.md': eventsDocument,
  'docs/limits.md': () => limitsDocument(folder),
  'docs/tour.md': tourDocument,
};
