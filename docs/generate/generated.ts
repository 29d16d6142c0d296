import { fileURLToPath } from 'node:url';
import { decisionsIndex } from './decisions-index.ts';

export const root = new URL('../../', import.meta.url);
const folder = fileURLToPath(root);

/** The documents that are generated, by their path. */
export const generated: Record<string, () => string | Promise<string>> = {
  'docs/decisions/README.md': () => decisionsIndex(folder),
};
