import { fileURLToPath } from 'node:url';
import { describedApi } from '../../packages/client/generate/document.ts';
import { operationsModule } from '../../packages/client/generate/operations-module.ts';
import { decisionsIndex } from './decisions-index.ts';
import { deployingDocument } from './deploying.ts';
import { eventsDocument } from './events.ts';
import { itemsDocument } from './items.ts';
import { limitsDocument } from './limits.ts';
import { tourDocument } from './tour.ts';
import { warningsDocument } from './warnings.ts';

export const rootUrl = new URL('../../', import.meta.url);
const folder = fileURLToPath(rootUrl);

/** The generated files that are committed, by their path. */
export const generated: Record<string, () => string | Promise<string>> = {
  'docs/decisions/README.md': () => decisionsIndex(folder),
  'docs/deploying.md': () => deployingDocument(folder),
  'docs/events.md': eventsDocument,
  'docs/items.md': itemsDocument,
  'docs/limits.md': () => limitsDocument(folder),
  'docs/warnings.md': () => warningsDocument(),
  'docs/tour.md': tourDocument,
  'packages/client/src/operations.ts': () => operationsModule(describedApi()),
};
