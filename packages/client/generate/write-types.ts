import { writeFileSync } from 'node:fs';
import { describedApi } from './document.ts';
import { typesModule } from './types-module.ts';

/** Writes the types of the API to `src/api.ts`. They follow from the code and are large, so they are not committed. */
export const writeTypes = () =>
  writeFileSync(new URL('../src/api.ts', import.meta.url), typesModule(describedApi()));
